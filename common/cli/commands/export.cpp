// SPDX-License-Identifier: Apache-2.0
// `scalemark export`: converts result files to the formats of other programs.
#include "common/formats/export.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/outputs.hpp"
#include "common/cli/notes.hpp"
#include "common/result/software_gpu.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

struct ExportArguments {
  std::filesystem::path file;
  std::string format;
  std::filesystem::path output;
  bool force = false;
  formats::ExportOptions how;
};

void write(const ExportArguments& options, std::ostream& out, const std::string& name) {
  Notes notes("export");
  const formats::ExportTarget target{out, [&](const std::string& note) { notes.add(note); }};
  const std::shared_ptr<ResultSink> sink =
      formats::make_export(options.format, options.how, target);
  Run run;
  std::size_t cases = 0;
  visit_run(options.file, {},
            {.header =
                 [&](Run header) {
                   refuse_software_gpu(header);
                   sink->begin(run = std::move(header));
                 },
             .one_case =
                 [&](const CaseResult& result) {
                   ++cases;
                   sink->add(result);
                 }});
  if (!run.complete) {
    target.note(fmt::format("{} is not complete: {} of {}", text::printable(options.file.string()),
                            cases, text::counted(run.planned.size(), "planned case")));
  }
  sink->end(run);
  out.flush();
  if (!out) throw Error(fmt::format("{} could not be written: {}", name, std::strerror(errno)));
}

/// Writes to a temporary file and renames it, so that no partial file is left.
void write_file(const ExportArguments& options) {
  const std::string name = options.output.string();
  refuse_inputs(options.output, {&options.file, 1});
  refuse_results(options.output);
  if (std::filesystem::exists(options.output) && !options.force)
    throw UsageError(fmt::format("--output {} exists; --force replaces it", name));
  std::filesystem::path temporary;
  try {
    temporary = make_temporary(folder_of(options.output), options.output.filename().string());
  } catch (const Error& error) {
    throw UsageError(fmt::format("--output {}: {}", name, error.what()));
  }
  try {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    write(options, out, name);
    out.close();
    if (!out) throw Error(fmt::format("{} could not be written", name));
    std::filesystem::rename(temporary, options.output);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

void take(const std::vector<std::string>& fields, ExportArguments& options) {
  for (const std::string& field : fields) {
    const std::size_t equals = field.find('=');
    if (equals == std::string::npos)
      throw UsageError(
          fmt::format("--field is \"{}\"; allowed: key=value", text::printable(field, 80)));
    options.how.fields[field.substr(0, equals)] = field.substr(equals + 1);
  }
}

/// Throws UsageError for options that the format does not use.
void check_use(const ExportArguments& options) {
  if (options.how.summary && options.format != "csv")
    throw UsageError(
        fmt::format("--summary was given with --to {}; allowed: --to csv", options.format));
  if (options.how.fields.empty() || options.format == "mlperf-system") return;
  throw UsageError(
      fmt::format("--submitter, --division, --status, --system-name and --field were given with "
                  "--to {}; allowed: --to mlperf-system",
                  options.format));
}

int export_file(const ExportArguments& options) {
  check_use(options);
  if (options.output.empty()) {
    write(options, std::cout, "standard output");
  } else {
    write_file(options);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExportArguments>();
  CLI::App* command =
      app.add_subcommand("export", "Convert a result file to formats of other programs");
  command
      ->add_option("FILE", options->file, "A result file, or the .parts folder of a run under way")
      ->required();
  std::vector<std::string> names;
  std::string footer = "Formats:\n";
  for (const formats::ExportFormat& format : formats::export_formats()) {
    names.push_back(format.name);
    footer += fmt::format("  {:<15} {}\n", format.name, format.what);
  }
  command->add_option("--to", options->format, "Format")->required()->check(CLI::IsMember(names));
  command->add_option("-o,--output", options->output, "Output file (default: standard output)");
  command->add_flag("--summary", options->how.summary,
                    "csv: medians with their intervals instead of samples");
  command->add_flag("--repetitions", options->how.repetitions,
                    "google-benchmark: every iteration as a repetition, too");
  for (const char* key : {"submitter", "division", "status", "system_name"}) {
    std::string flag = fmt::format("--{}", key);
    std::replace(flag.begin(), flag.end(), '_', '-');
    command->add_option_function<std::string>(
        flag, [options, key](const std::string& value) { options->how.fields[key] = value; },
        fmt::format("mlperf-system: {}", key));
  }
  command
      ->add_option_function<std::vector<std::string>>(
          "--field", [options](const std::vector<std::string>& fields) { take(fields, *options); },
          "mlperf-system: key=value of any other field; repeatable")
      ->allow_extra_args(false);
  command->add_flag("--force", options->force, "Replace an existing output");
  command->footer(footer + "docs/integration.md describes them.");
  command->callback([options, &exit_code] { exit_code = export_file(*options); });
}

}  // namespace scalemark::cli
