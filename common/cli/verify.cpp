// SPDX-License-Identifier: Apache-2.0
// `scalemark verify`: recomputes golden files with this build on this machine.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands.hpp"
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

nlohmann::json read_json(const std::string& path) {
  const std::string name = text::printable(path);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("{}: {}", name, error.message()));
  if (bytes > kMaxBytes) throw InputError(fmt::format("{}: larger than 256 MiB", name));
  std::ifstream file(path);
  nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) throw InputError(fmt::format("{}: is no JSON object", name));
  return json;
}

/// A file that lacks a field or has one of another type fails as one item; the others go on.
void check_file(const std::string& path, const VerifyOptions& options,
                std::vector<golden::Item>& items) {
  const nlohmann::json json = read_json(path);
  golden::Report report(path);
  const std::string topic = golden::topic_of(json);
  const auto known = golden::topics().find(topic);
  if (known == golden::topics().end()) {
    report.skip("topic",
                fmt::format("topic '{}' is not part of this build", text::printable(topic, 80)));
  } else {
    try {
      golden::Options checks = options.checks;
      checks.folder = std::filesystem::path(path).parent_path().string();
      known->second(json, checks, report);
    } catch (const std::exception& error) {
      report.exact("file", false, text::printable(error.what(), 300));
    }
  }
  items.insert(items.end(), report.items().begin(), report.items().end());
}

/// JSON has no NaN: a number that is none becomes null.
nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

void print_json(const std::vector<golden::Item>& items) {
  nlohmann::json rows = nlohmann::json::array();
  for (const golden::Item& item : items) {
    rows.push_back({{"file", text::printable(item.file)},
                    {"item", text::printable(item.item)},
                    {"status", golden::to_string(item.outcome)},
                    {"reason", text::printable(item.reason)},
                    {"error", number(item.error)},
                    {"tolerance", number(item.tolerance)}});
  }
  fmt::print("{}\n", rows.dump(2));
}

void print_text(const std::vector<golden::Item>& items, bool verbose) {
  for (const golden::Item& item : items) {
    if (item.outcome == golden::Outcome::pass && !verbose) continue;
    fmt::print("{:<7} {}: {}", golden::to_string(item.outcome), text::printable(item.file),
               text::printable(item.item));
    if (std::isfinite(item.error))
      fmt::print("  error {:.3g}, allowed {:.3g}", item.error, item.tolerance);
    fmt::print("{}{}\n", item.reason.empty() ? "" : "  ", text::printable(item.reason));
  }
}

std::size_t count(const std::vector<golden::Item>& items, golden::Outcome outcome) {
  return static_cast<std::size_t>(std::ranges::count_if(
      items, [&](const golden::Item& item) { return item.outcome == outcome; }));
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
  std::vector<golden::Item> items;
  for (const std::string& file : options.files) check_file(file, options, items);
  if (options.format == "json")
    print_json(items);
  else
    print_text(items, options.verbose);
  const std::size_t passed = count(items, golden::Outcome::pass),
                    failed = count(items, golden::Outcome::fail),
                    skipped = count(items, golden::Outcome::skipped);
  if (options.format == "text")
    fmt::print("{} passed, {} failed, {} skipped\n", passed, failed, skipped);
  if (failed > 0) return static_cast<int>(ExitCode::wrong_data);
  if (passed == 0 || (options.require_all && skipped > 0))
    return static_cast<int>(ExitCode::nothing);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command =
      app.add_subcommand("verify", "Recompute golden files with this build on this machine");
  command->add_option("FILE", options->files, "Golden files (JSON)")->required();
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
