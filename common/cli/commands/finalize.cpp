// SPDX-License-Identifier: Apache-2.0
// `scalemark finalize`: makes a result file from the parts of an interrupted run.
#include <filesystem>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/outputs.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

struct FinalizeOptions {
  std::filesystem::path parts, output;
  bool force = false;
};

int finalize(FinalizeOptions options) {
  if (!std::filesystem::is_directory(options.parts)) {
    throw UsageError(
        fmt::format("PARTS is \"{}\", which {}; allowed: the folder OUT.h5.parts that a run left",
                    text::printable(options.parts.string(), 400),
                    std::filesystem::exists(options.parts) ? "is a file" : "does not exist"));
  }
  if (options.output.empty()) {
    // OUT.h5.parts -> OUT.h5
    if (options.parts.extension() != ".parts")
      throw UsageError(fmt::format("--output is needed: \"{}\" is not called OUT.h5.parts",
                                   text::printable(options.parts.string(), 400)));
    options.output = options.parts;
    options.output.replace_extension();
  }
  refuse_inputs(options.output, {&options.parts, 1});
  finalize_parts(options.parts, options.output, options.force);
  const Run run = read_run(options.output, {.samples = false, .apart = false});
  fmt::print("{}: {}{} of {}\n", options.output.string(), run.complete ? "" : "not complete, ",
             run.cases.size(), text::counted(run.planned.size(), "planned case"));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_finalize(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FinalizeOptions>();
  CLI::App* command =
      app.add_subcommand("finalize", "Make a result file from the parts of an interrupted run");
  command
      ->add_option("PARTS", options->parts,
                   "Folder OUT.h5.parts, which is removed: --resume cannot continue the run then")
      ->required();
  command->add_option("-o,--output", options->output,
                      "Result file (default: the folder's name without .parts)");
  command->add_flag("--force", options->force, "Replace an existing output");
  command->callback([options, &exit_code] { exit_code = finalize(*options); });
}

}  // namespace scalemark::cli
