// SPDX-License-Identifier: Apache-2.0
// Suggests subcommands and options for unknown words.
#include "common/cli/usage.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::cli {
namespace {

std::string unknown_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return fmt::format("\"{}\" is not a subcommand{}", text::printable(word, 80),
                     text::did_you_mean(word, names));
}

/// The option as written, without "=value".
std::string option_of(const std::string& word) { return word.substr(0, word.find('=')); }

std::string unknown_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string name = option_of(word);
  const std::vector<std::string> near = text::nearest(name, names);
  return fmt::format("{} has no option {}{}", command.get_name(), text::printable(name, 80),
                     near.empty() ? fmt::format("; \"{} --help\" lists them", command.get_name())
                                  : fmt::format(" (did you mean {}?)", text::join(near, ", ")));
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  const std::vector<const CLI::App*> chosen =
      app.get_subcommands([](const CLI::App*) { return true; });
  const CLI::App* command = nullptr;
  for (const CLI::App* one : chosen) {
    if (one->parsed()) command = one;
  }
  if (command == nullptr && !unknown.empty()) return unknown_subcommand(app, unknown.front());
  if (command != nullptr &&
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    for (const std::string& word : unknown) {
      if (word.starts_with('-')) return unknown_option(*command, word);
    }
  }
  std::string said = error.what();
  // CLI11 puts a colon behind the option's name: "--ci: is 'nan'; allowed: ..."
  constexpr std::string_view kColon = ": is '";
  if (const std::size_t at = said.find(kColon); said.starts_with('-') && at != std::string::npos)
    said.erase(at, 1);
  return text::printable(said, 2000);
}

}  // namespace scalemark::cli
