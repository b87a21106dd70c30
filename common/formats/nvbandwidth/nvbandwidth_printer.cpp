// SPDX-License-Identifier: Apache-2.0
// Prints nvbandwidth's JSON (-j) with one size per test: the largest.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/formats/nvbandwidth/nvbandwidth_tests.hpp"
#include "common/formats/printers.hpp"
#include "common/print/printers.hpp"
#include "common/stats/summary.hpp"
#include "common/text/cells.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::ordered_json;

/// The value of an axis; files of older versions lack axes with the value `implied`.
std::string axis_text(const CaseResult& result, const char* axis, const char* implied) {
  const std::string text = print::param_text(result, axis);
  return text.empty() ? implied : text;
}

bool matches(const NvbandwidthTest& test, const CaseResult& result) {
  return result.name == test.benchmark &&
         std::ranges::all_of(test.axes, [&](const NvbandwidthAxis& axis) {
           return axis.name == nullptr || axis_text(result, axis.name, axis.implied) == axis.value;
         });
}

/// The matching nvbandwidth test; null if there is none.
const NvbandwidthTest* nvbandwidth_test_of(const CaseResult& result) {
  const auto* const found = std::ranges::find_if(
      kNvbandwidthTests, [&](const NvbandwidthTest& test) { return matches(test, result); });
  return found == kNvbandwidthTests.end() ? nullptr : found;
}

/// Rows of GB/s, or of ns. A cell that is not measured is NaN.
using Cells = std::vector<std::vector<double>>;

bool is_usable(double cell) { return cell > 0 && std::isfinite(cell); }

/// One row of the ranks' median times; empty if nothing was measured.
Cells cells_of_ranks(const NvbandwidthTest& test, const CaseResult& result) {
  const Metric* metric = result.find(test.metric());
  const Metric* time = metric == nullptr   ? nullptr
                       : test.is_latency() ? metric
                                           : result.find(metric->source);
  if (time == nullptr) return {};
  std::vector<double> row;
  for (std::size_t rank = 0; rank < time->samples.ranks; ++rank) {
    std::vector<double> seconds;
    for (std::size_t i = 0; i < time->samples.iterations; ++i) {
      if (!time->samples.is_warmup(i)) seconds.push_back(time->samples.value(rank, i));
    }
    const double median = seconds.empty() ? 0 : stats::median(seconds);
    if (!(median > 0)) return {};
    row.push_back(test.is_latency() ? median * 1e9 : metric->numerator / median * 1e-9);
    if (!is_usable(row.back())) return {};
  }
  return row.empty() ? Cells() : Cells{row};
}

template <typename T>
const std::vector<T>* column_of(const Table& table, const char* name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  return found == table.columns.end() ? nullptr : std::get_if<std::vector<T>>(&found->values);
}

/// A matrix of table `pairs`; empty if nothing was measured by events.
Cells cells_of_pairs(const NvbandwidthTest& test, const CaseResult& result) {
  constexpr std::uint64_t kMaxGpus = 1024;
  const auto table = result.tables.find("pairs");
  if (table == result.tables.end()) return {};
  const auto* from = column_of<std::uint64_t>(table->second, "from_gpu");
  const auto* to = column_of<std::uint64_t>(table->second, "to_gpu");
  const auto* values =
      column_of<double>(table->second, test.is_latency() ? "latency" : "event_bandwidth");
  if (!from || !to || !values || values->empty() || from->size() != values->size() ||
      to->size() != values->size())
    return {};
  const std::uint64_t gpus = std::max(std::ranges::max(*from), std::ranges::max(*to)) + 1;
  if (gpus > kMaxGpus) return {};
  Cells cells(gpus, std::vector<double>(gpus, std::nan("")));
  for (std::size_t i = 0; i < values->size(); ++i) {
    const bool writes = test.cells == NvbandwidthCells::writers;
    const std::uint64_t row = writes ? (*from)[i] : (*to)[i],
                        other = writes ? (*to)[i] : (*from)[i];
    cells[row][other] = (*values)[i] * (test.is_latency() ? 1e9 : 1e-9);
    if (!is_usable(cells[row][other])) return {};
  }
  return cells;
}

Cells cells_of(const NvbandwidthTest& test, const CaseResult& result) {
  return test.cells == NvbandwidthCells::ranks ? cells_of_ranks(test, result)
                                               : cells_of_pairs(test, result);
}

class NvbandwidthPrinter final : public print::Printer {
 public:
  using print::Printer::Printer;

  void begin(const Run& run) override {
    root_["version"] = fmt::format("scalemark {}", version());
    if (const std::string origin = print::foreign_origin(run); !origin.empty())
      root_["measured_by"] = text::json_text(origin + "; not by Scalemark");
    const auto driver = run.environment.common.find("gpu_driver");
    if (driver != run.environment.common.end())
      root_["Driver Version"] = text::json_text(driver->second);
    ordered_json gpus = ordered_json::array();
    std::set<std::string> seen;
    for (const RankInfo& rank : run.ranks) {
      nodes_.insert(rank.node);
      if (rank.gpu_uuid.empty()) continue;
      if (!seen.insert(rank.gpu_uuid).second) {
        shares_gpus_ = true;
        continue;
      }
      gpus.push_back(
          text::json_text(fmt::format("{}: {} ({})", gpus.size(), rank.gpu_model, rank.gpu_pci)));
    }
    root_["GPU Device list"] = std::move(gpus);
  }

  void add(const CaseResult& result) override {
    const NvbandwidthTest* test = nvbandwidth_test_of(result);
    std::string why = test == nullptr ? "nvbandwidth has no such test" : why_other(*test, result);
    Row row{.bytes = print::param_integer(result, "bytes").value_or(0), .key = result.key};
    if (why.empty() && result.status == Status::ok) {
      row.cells = cells_of(*test, result);
      if (row.cells.empty()) why = "nothing was measured by events";
    }
    if (!why.empty()) return note(result.key, print::left_out_because(result, why));
    const bool alone = print::param_integer(result, "ranks").value_or(1) == 1;
    row.json = described(*test, alone ? test->name : test->of_all, result, row.cells);
    offer(std::move(row));
  }

  void end(const Run& run) override {
    root_["testcases"] = ordered_json::array();
    for (Row& row : rows_) root_["testcases"].push_back(std::move(row.json));
    out() << ordered_json{{"nvbandwidth", std::move(root_)}}.dump(2) << '\n';
    print::Printer::end(run);
  }

 private:
  struct Row {
    std::int64_t bytes = 0;
    std::string key = {};
    Cells cells = {};
    ordered_json json = {};
  };

  static void note(const std::string& key, const std::string& why) {
    log::info(fmt::format("not in this format: {}: {}", text::printable(key), why));
  }

  /// Why the case differs from nvbandwidth's test; empty if it does not.
  std::string why_other(const NvbandwidthTest& test, const CaseResult& result) const {
    if (axis_text(result, "numa", "local") != "local")
      return "nvbandwidth uses memory near the GPU only";
    if (print::param_integer(result, "ranks").value_or(1) == 1) return "";
    if (test.of_all == nullptr) return "nvbandwidth measures it on one GPU at a time";
    if (axis_text(result, "devices", "all") != "all") return "events time all GPUs together";
    if (nodes_.size() > 1) return "nvbandwidth has no such test of several hosts";
    return shares_gpus_ ? "ranks share a GPU" : "";
  }

  static ordered_json described(const NvbandwidthTest& test, const char* name,
                                const CaseResult& result, const Cells& cells) {
    ordered_json one = {{"name", name}};
    if (result.status == Status::skipped) {
      one["status"] = "Waived";
    } else if (result.status != Status::ok) {
      one["status"] = "Error";
      one["error"] = text::json_text(result.reason);
    } else {
      one["bandwidth_description"] = test.description;
      add_matrix(one, cells, test.counted);
      one["status"] = "Passed";
    }
    one[kNvbandwidthKey] = text::json_text(result.key);
    return one;
  }

  static void add_matrix(ordered_json& one, const Cells& cells, double counted) {
    std::vector<double> values;
    ordered_json& matrix = one["bandwidth_matrix"] = ordered_json::array();
    for (const std::vector<double>& row : cells) {
      ordered_json& texts = matrix.emplace_back(ordered_json::array());
      for (const double cell : row) {
        texts.push_back(std::isnan(cell) ? "N/A" : text::csv_number(cell * counted));
        if (!std::isnan(cell)) values.push_back(std::stod(texts.back().get<std::string>()));
      }
    }
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    one["sum"] = sum;
    one["min"] = std::ranges::min(values);
    one["max"] = std::ranges::max(values);
    one["average"] = sum / static_cast<double>(values.size());
  }

  /// Keeps one row per test: the largest size that was measured.
  void offer(Row row) {
    const auto same = std::ranges::find_if(
        rows_, [&](const Row& other) { return other.json["name"] == row.json["name"]; });
    if (same == rows_.end()) return rows_.push_back(std::move(row));
    const auto order = [](const Row& one) { return std::pair(!one.cells.empty(), one.bytes); };
    if (order(row) > order(*same)) std::swap(*same, row);
    note(row.key, "another size has the test's row");
  }

  ordered_json root_ = ordered_json::object();
  std::set<std::string> nodes_;
  bool shares_gpus_ = false;
  std::vector<Row> rows_;  ///< in the order of their first case
};

}  // namespace

std::shared_ptr<ResultSink> make_nvbandwidth_printer(std::ostream& out,
                                                     const PrintOptions& options) {
  return std::make_shared<NvbandwidthPrinter>(out, options);
}

}  // namespace scalemark::formats
