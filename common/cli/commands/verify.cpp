// SPDX-License-Identifier: Apache-2.0
// `scalemark verify`: recomputes golden files with this build on this machine.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/verify_output.hpp"
#include "common/golden/report.hpp"
#include "common/stats/golden/checks.hpp"

namespace scalemark::cli {
namespace {

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{256} << 20;

struct VerifyOptions {
  std::vector<std::string> files;
  std::string precision = "fp64,fp32", format = "text";
  bool require_all = false, verbose = false;
  golden::Options checks;
};

/// Throws InputError for a file that cannot be read or is not JSON.
nlohmann::json read_json(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw InputError(error.message());
  if (bytes > kMaxBytes) throw InputError("larger than 256 MiB");
  std::ifstream file(path);
  if (!file) throw InputError("could not be opened for reading");
  nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded()) throw InputError("holds no JSON");
  return json;
}

/// Why no check of this build accepts the file; empty if `topic` is known.
std::string why_unknown(const nlohmann::json& json, const std::string& topic) {
  if (!json.is_object())
    return fmt::format("no golden file: it holds {} {}, not an object",
                       json.is_array() ? "an" : "a", json.type_name());
  if (golden::topics().contains(topic)) return {};
  if (!topic.empty())
    return fmt::format("topic '{}' is not part of this build", text::printable(topic, 80));
  return "no golden file: it has no field 'topic', and its fields are of no topic of this build";
}

enum class Read { whole, foreign, unreadable };

/// Reads and checks one file. A file that cannot be read, is not a golden file, or has missing or
/// mistyped fields counts as one item; the other files are still checked.
Read check_file(const std::string& path, const golden::Options& options, golden::Report& report) {
  try {
    const nlohmann::json json = read_json(path);
    const std::string topic = json.is_object() ? golden::topic_of(json) : "";
    if (const std::string reason = why_unknown(json, topic); !reason.empty()) {
      report.skip(topic.empty() ? "file" : "topic", reason);
      return Read::foreign;
    }
    try {
      golden::Options checks = options;
      checks.folder = std::filesystem::path(path).parent_path().string();
      golden::topics().at(topic)(json, checks, report);
    } catch (const std::exception& error) {
      report.exact("file", false, text::printable(error.what(), 300));
    }
    return Read::whole;
  } catch (const InputError& error) {
    report.exact("file", false, error.what());
    return Read::unreadable;
  }
}

int verify(VerifyOptions& options) {
  stats::register_golden_checks();
  options.checks.precisions.clear();
  for (const std::string& precision : text::split(options.precision, ',')) {
    if (precision != "fp64" && precision != "fp32")
      throw UsageError(fmt::format("--precision has no value '{}'; allowed: fp64, fp32",
                                   text::printable(precision, 40)));
    options.checks.precisions.insert(precision);
  }
  if (options.checks.precisions.empty()) {
    throw UsageError("--precision is empty; allowed: fp64, fp32, or both with a comma");
  }
  VerifyPrinter printer({options.format == "json", options.verbose, options.files.size()});
  std::vector<std::string> unreadable;
  for (const std::string& path : options.files) {
    printer.begin_file(path);
    golden::Report report(path, [&](const golden::Item& item) { printer.item(item); });
    const Read read = check_file(path, options.checks, report);
    printer.end_file(read == Read::whole);
    if (read == Read::unreadable)
      unreadable.push_back(
          fmt::format("{}: {}", text::printable(path), report.items().back().reason));
  }
  const VerifyCounts counts = printer.finish();
  for (const std::string& file : unreadable) fmt::print(stderr, "scalemark verify: {}\n", file);
  if (!unreadable.empty()) return static_cast<int>(ExitCode::failed);
  if (counts.failed > 0) return static_cast<int>(ExitCode::wrong_data);
  if (counts.passed == 0 || (options.require_all && counts.skipped > 0))
    return static_cast<int>(ExitCode::nothing);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command =
      app.add_subcommand("verify", "Recompute golden files with this build on this machine");
  command->add_option("FILE", options->files, "Golden files (JSON); any other JSON is skipped")
      ->required();
  command->add_option("--device", options->checks.device, "Where to compute")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command->add_option("--precision", options->precision, "Which fields: fp64, fp32, or both")
      ->capture_default_str();
  command
      ->add_option("--tokenizer", options->checks.tokenizer,
                   "Llama 3's tokenizer.model, for the token ids made with it")
      ->check(CLI::ExistingFile);
  command->add_flag("--require-all", options->require_all,
                    "A skipped item is a failure (exit code 4)");
  command->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_flag("-v,--verbose", options->verbose, "Show the passed items too");
  command->callback([options, &exit_code] { exit_code = verify(*options); });
}

}  // namespace scalemark::cli
