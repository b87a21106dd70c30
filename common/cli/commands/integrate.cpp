// SPDX-License-Identifier: Apache-2.0
// `scalemark completion` and `scalemark man`: prints completion scripts and manual pages.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/completion.hpp"
#include "common/cli/manual.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/preset.hpp"

namespace scalemark::cli {
namespace {

CompletionNames registered_names() {
  CompletionNames names;
  const Registry& registry = Registry::instance();
  for (const Benchmark* benchmark : registry.all()) {
    names.benchmarks.push_back(benchmark->name());
    for (const Axis& axis : benchmark->axes()) {
      std::vector<std::string>& values = names.axes[axis.name];
      for (const Value& value : axis.allowed) {
        const std::string text = to_text(value);
        if (std::ranges::find(values, text) == values.end()) values.push_back(text);
      }
    }
  }
  names.presets = preset_names(registry);
  return names;
}

std::string manual(const CLI::App& app, const std::string& subcommand) {
  const std::vector<CommandWords> commands = command_words(app);
  if (subcommand.empty()) return program_manual(app, commands);
  std::vector<std::string> known;
  for (const CommandWords& command : commands) {
    if (command.name == subcommand) return command_manual(command);
    known.push_back(command.name);
  }
  throw UsageError(fmt::format("SUBCOMMAND is '{}'{}", text::printable(subcommand, 80),
                               text::did_you_mean(subcommand, known)));
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script that completes this command line in a shell");
  command->add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell, &exit_code] {
    fmt::print("{}", completion_script(*shell, command_words(app), registered_names()));
    exit_code = static_cast<int>(ExitCode::ok);
  });
}

void add_man(CLI::App& app, int& exit_code) {
  auto subcommand = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("man", "Print the manual page of the program or a subcommand");
  command->add_option("SUBCOMMAND", *subcommand, "Default: the page of the program");
  command->callback([&app, subcommand, &exit_code] {
    fmt::print("{}", manual(app, *subcommand));
    exit_code = static_cast<int>(ExitCode::ok);
  });
}

}  // namespace scalemark::cli
