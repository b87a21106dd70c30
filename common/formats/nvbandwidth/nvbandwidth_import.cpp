// SPDX-License-Identifier: Apache-2.0
// Imports nvbandwidth's JSON (-j): a matrix of bandwidths per test.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/case_key.hpp"
#include "common/formats/json_fields.hpp"
#include "common/formats/nvbandwidth/nvbandwidth_tests.hpp"
#include "common/formats/printed_table.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::json;

constexpr Quantity kLatencyNs{"latency", "s", -9, Better::lower};
constexpr std::size_t kMaxCells = 1'000'000;

/// The test that Scalemark measures too; null if there is none.
const NvbandwidthTest* known_test(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(kNvbandwidthTests, [&](const NvbandwidthTest& test) {
        return name == test.name || (test.of_all != nullptr && name == test.of_all);
      });
  return found == kNvbandwidthTests.end() ? nullptr : found;
}

/// micro/memcpy with the axes of its keys, or nvbandwidth/NAME. nvbandwidth does not print the copy
/// size (512 MiB by default).
CaseResult named_test(const std::string& name) {
  CaseResult result;
  result.name = "nvbandwidth/" + snake_case(name);
  const NvbandwidthTest* test = known_test(name);
  const bool is_copy = test != nullptr && test->cells == NvbandwidthCells::ranks &&
                       !test->is_latency() && test->counted == 1;
  if (is_copy && name == test->name) {
    result.name = test->benchmark;
    for (const NvbandwidthAxis& axis : test->axes) {
      if (axis.name != nullptr && std::string_view(axis.value) != axis.implied)
        result.params[axis.name] = std::string(axis.value);
    }
  }
  result.params["ranks"] = std::int64_t{1};
  return result;
}

/// The numbers in a row's cells, which are texts; "N/A" marks an impossible pair.
void take_cells(const json& row, const std::string& place, std::vector<Decimal>& cells) {
  if (!row.is_array()) fail(place, "lists in \"bandwidth_matrix\"", row);
  for (const json& cell : row) {
    const std::string text =
        cell.is_string() ? text_of(cell, "bandwidth_matrix", place) : cell.dump();
    if (text == "N/A") continue;
    const auto value = parse_decimal(text);
    if (!value || cells.size() >= kMaxCells)
      fail(place, "numbers or \"N/A\" in \"bandwidth_matrix\"", cell);
    cells.push_back(*value);
  }
}

double value_of(const Decimal& cell) {
  CaseResult scratch;
  return add_metric(scratch, {"value", "1", 0, Better::none}, cell).samples.value(0, 0);
}

/// Stores the cells as samples of ranks: mean, worst, and for bandwidths the sum.
void add_matrix(CaseResult& result, const Quantity& quantity, const std::vector<Decimal>& cells) {
  std::vector<double> values;
  for (const Decimal& cell : cells) values.push_back(value_of(cell));
  Metric& mean = add_metric(result, quantity, {});
  mean.samples.ranks = values.size();
  mean.samples.scale = quantity.exponent > 0 ? 1e9 : 1e-9;
  mean.samples.values = values;
  mean.kind = MetricKind::count;
  mean.formula = "mean over the cells of nvbandwidth's matrix, row by row";
  const bool is_rate = quantity.better == Better::higher;
  Metric worst = mean;
  worst.name = is_rate ? "bandwidth_min" : "latency_max";
  worst.formula = "of the cells";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  worst.samples.ranks = 1;
  worst.samples.values = std::vector<double>{is_rate ? *least : *most};
  result.metrics.push_back(worst);
  if (!is_rate) return;
  Metric sum = result.metrics.front();
  sum.name = "total_bandwidth";
  sum.rank_reduce = RankReduce::sum;
  sum.formula = "sum over the cells";
  result.metrics.push_back(std::move(sum));
}

/// Adds the metric that Scalemark reports for the case: the slowest rank or pair.
void add_own(CaseResult& result, const NvbandwidthTest& test, const std::vector<Decimal>& cells) {
  std::vector<double> values;
  for (const Decimal& cell : cells) values.push_back(value_of(cell));
  const Quantity own = test.is_latency() ? Quantity{test.metric(), "s", -9, Better::lower}
                                         : Quantity{test.metric(), "By/s", 9, Better::higher};
  Metric& metric = add_metric(result, own, {});
  metric.samples.scale = test.is_latency() ? 1e-9 : 1e9;
  const double worst = test.is_latency() ? std::ranges::max(values) : std::ranges::min(values);
  metric.samples.values = std::vector<double>{worst / test.counted};
  metric.kind = MetricKind::count;
  metric.formula = test.is_latency() ? "greatest of the cells" : "least of the cells";
}

void take_status(CaseResult& result, const json& test, const std::string& place) {
  const std::string status = text_of(member(test, "status", place), "status", place);
  const std::string error = test.contains("error") ? text_of(test["error"], "error", place) : "";
  if (status == "Passed" && error.empty()) return;
  const bool is_waived = status == "Waived" || status == "Not Found";
  result.status = is_waived ? Status::skipped : Status::failed;
  result.reason = fmt::format("nvbandwidth: {} {}", status, error);
}

void take_test(RunBuilder& builder, const json& test, const std::string& place,
               const ImportTaker& taker) {
  if (!test.is_object()) fail(place, "an object", test);
  note_unknown(test,
               {"name", "status", "bandwidth_description", "bandwidth_matrix", "sum", "min", "max",
                "average", "error", kNvbandwidthKey},
               place, taker);
  const std::string name = text_of(member(test, "name", place), "name", place);
  const NvbandwidthTest* known = known_test(name);
  const bool is_own = known != nullptr && test.contains(kNvbandwidthKey);
  CaseResult result =
      is_own ? case_of_key(text_of(test[kNvbandwidthKey], kNvbandwidthKey, place), place)
             : named_test(name);
  take_status(result, test, place);
  std::vector<Decimal> cells;
  if (const auto matrix = test.find("bandwidth_matrix"); matrix != test.end()) {
    if (!matrix->is_array()) fail(place, "\"bandwidth_matrix\" to be a list", *matrix);
    for (const json& row : *matrix) take_cells(row, place, cells);
  }
  const std::string description =
      test.contains("bandwidth_description")
          ? text_of(test["bandwidth_description"], "bandwidth_description", place)
          : "";
  if (!cells.empty() && is_own) {
    add_own(result, *known, cells);
  } else if (!cells.empty()) {
    const bool is_latency = description.find("latency") != std::string::npos;
    add_matrix(result, is_latency ? kLatencyNs : kBandwidthGb, cells);
  } else if (result.status == Status::ok) {
    fail(place, "\"bandwidth_matrix\" of a test that passed", test);
  }
  set_key(result);
  builder.add(std::move(result), place);
}

}  // namespace

void import_nvbandwidth(const ImportSource& source, const ImportTaker& taker) {
  const std::string file = text::printable(source.file.string()), content = read_text(source.file);
  const json document = parse_json(content, file);
  const json& root = member(document, "nvbandwidth", file);
  if (!root.is_object()) fail(file, "\"nvbandwidth\" to be an object", root);
  note_unknown(
      root,
      {"version", "git_version", "CUDA Runtime Version", "CUDA Driver Version", "Driver Version",
       "GPU Device list", "testcases", "error", "warning", "measured_by"},
      file, taker);
  const std::string version =
      root.contains("version") ? text_of(root["version"], "version", file) : "";
  RunBuilder builder(imported_run(source, "nvbandwidth", version, content));
  Run& run = builder.run();
  if (root.contains("Driver Version"))
    run.environment.common["gpu_driver"] = text_of(root["Driver Version"], "Driver Version", file);
  const json& tests = member(root, "testcases", file);
  if (!tests.is_array()) fail(file, "\"testcases\" to be a list", tests);
  for (std::size_t i = 0; i < tests.size(); ++i)
    take_test(builder, tests[i], fmt::format("{}: testcases[{}]", file, i), taker);
  if (builder.empty()) throw InputError(fmt::format("{}: holds no test", file));
  if (root.contains("error")) {
    run.complete = false;
    run.exit_reason = text::printable(root["error"].dump(), kLongestName);
  }
  taker.run({builder.take(), {}});
}

}  // namespace scalemark::formats
