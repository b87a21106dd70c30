// SPDX-License-Identifier: Apache-2.0
// `scalemark import`: converts results of other programs to result files.
#include "common/formats/import.hpp"

#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/outputs.hpp"
#include "common/cli/notes.hpp"
#include "common/cli/numbers.hpp"
#include "common/store/whole_run.hpp"

namespace scalemark::cli {
namespace {

struct ImportArguments {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  bool force = false;
  std::vector<std::string> tags;
  formats::ImportOptions how;
};

std::map<std::string, std::string> tags_of(const ImportArguments& options) {
  std::map<std::string, std::string> tags;
  for (const std::string& tag : options.tags) {
    const std::size_t equals = tag.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(
          fmt::format("--tag is \"{}\"; allowed: key=value", text::printable(tag, 80)));
    tags[text::printable(tag.substr(0, equals))] = text::printable(tag.substr(equals + 1));
  }
  return tags;
}

/// Writes runs as they arrive: one run becomes a file, several become a folder of files. The
/// destructor removes what was written unless finish() was called.
class Writer {
 public:
  explicit Writer(const ImportArguments& options)
      : options_(options),
        tags_(tags_of(options)),
        is_folder_(std::filesystem::is_directory(options.output)) {}
  ~Writer() {
    std::error_code ignored;
    for (auto path = made_.rbegin(); path != made_.rend(); ++path)
      std::filesystem::remove(*path, ignored);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(formats::Imported imported) {
    for (const auto& [tag, value] : tags_) imported.run.tags[tag] = value;
    // Runs with a side always go into a folder, even a single one.
    is_folder_ = is_folder_ || held_ || !imported.side.empty();
    if (held_) write_into_folder(*std::exchange(held_, std::nullopt));
    if (is_folder_) {
      write_into_folder(imported);
    } else {
      held_ = std::move(imported);
    }
  }

  void finish() {
    if (held_) write(options_.output, held_->run);
    made_.clear();
    for (const std::string& line : lines_) fmt::print("{}\n", line);
  }

 private:
  void make_folder(const std::filesystem::path& folder) {
    if (std::filesystem::is_directory(folder)) return;
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    if (error)
      throw UsageError(fmt::format(
          "--output {}: the input has several runs, which go into a folder, and {} cannot be made: "
          "{}",
          options_.output.string(), folder.string(), error.message()));
    made_.push_back(folder);
  }

  void write_into_folder(const formats::Imported& imported) {
    make_folder(options_.output);
    const std::filesystem::path folder = options_.output / imported.side;
    make_folder(folder);
    write(folder / fmt::format("run-{:04}.h5", ++numbers_[imported.side]), imported.run);
  }

  void write(const std::filesystem::path& path, const Run& run) {
    refuse_inputs(path, options_.files);
    const bool is_new = !std::filesystem::exists(path);
    write_result_file(path, run, options_.force);
    if (is_new) made_.push_back(path);
    lines_.push_back(fmt::format("{}: {}", path.string(), text::counted(run.cases.size(), "case")));
  }

  const ImportArguments& options_;
  std::map<std::string, std::string> tags_;
  bool is_folder_;
  std::optional<formats::Imported> held_;
  std::map<std::string, int> numbers_;
  std::vector<std::filesystem::path> made_;
  std::vector<std::string> lines_;
};

int import_files(const ImportArguments& options) {
  Notes notes("import");
  Writer writer(options);
  const formats::ImportTaker taker{
      [&](formats::Imported imported) { writer.add(std::move(imported)); },
      [&](const std::string& note) { notes.add(note); }};
  for (const std::filesystem::path& file : options.files)
    formats::import_file(file, options.how, taker);
  writer.finish();
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_import(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ImportArguments>();
  CLI::App* command =
      app.add_subcommand("import", "Convert results of other programs to result files");
  command
      ->add_option("FILE", options->files,
                   "Output of these programs; each file is one run, of JSON Lines each line")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "Result file; for several runs a folder with one file each, for runs with sides "
                   "one folder per side")
      ->required();
  std::vector<std::string> names;
  std::string footer = "Formats:\n";
  for (const formats::ImportFormat& format : formats::import_formats()) {
    names.push_back(format.name);
    footer += fmt::format("  {:<17} {}\n", format.name, format.what);
  }
  command->add_option("--from", options->how.format, "Format (default: detected from the content)")
      ->check(CLI::IsMember(names));
  take_number(command->add_option("--ranks", options->how.ranks,
                                  "Number of ranks, if FILE does not give it"),
              {NumberRule::Kind::integer, 1, 100'000'000, false});
  command->add_option("--program", options->how.program,
                      "nccl-tests: the test, such as all_reduce_perf, if FILE does not give it");
  command->add_option("--tag", options->tags, "key=value to keep in the result files; repeatable")
      ->allow_extra_args(false);
  command->add_flag("--force", options->force, "Replace existing outputs");
  command->footer(footer + "docs/integration.md describes them.");
  command->callback([options, &exit_code] { exit_code = import_files(*options); });
}

}  // namespace scalemark::cli
