// SPDX-License-Identifier: Apache-2.0
// Prints nvbandwidth's JSON (-j) with one size per test: the largest.
#include <algorithm>
#include <cmath>
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

/// The matching nvbandwidth test; null if there is none.
const NvbandwidthTest* nvbandwidth_test_of(const CaseResult& result) {
  if (result.name != "micro/memcpy") return nullptr;
  const auto* const found =
      std::ranges::find_if(kNvbandwidthTests, [&](const NvbandwidthTest& test) {
        return print::param_text(result, "direction") == test.direction &&
               axis_text(result, "engine", "copy_engine") == test.engine &&
               print::param_text(result, "host_memory") == test.host_memory;
      });
  return found == kNvbandwidthTests.end() ? nullptr : found;
}

/// GB/s of each rank from its median time; empty if nothing was measured.
std::vector<double> gigabytes_of_ranks(const CaseResult& result) {
  const Metric* rate = result.find(kNvbandwidthMetric);
  const Metric* time = rate == nullptr ? nullptr : result.find(rate->source);
  std::vector<double> cells;
  if (time == nullptr) return cells;
  for (std::size_t rank = 0; rank < time->samples.ranks; ++rank) {
    std::vector<double> seconds;
    for (std::size_t i = 0; i < time->samples.iterations; ++i) {
      if (!time->samples.is_warmup(i)) seconds.push_back(time->samples.value(rank, i));
    }
    const double median = seconds.empty() ? 0 : stats::median(seconds);
    const double cell = median > 0 ? rate->numerator / median * 1e-9 : 0;
    if (!(cell > 0) || !std::isfinite(cell)) return {};
    cells.push_back(cell);
  }
  return cells;
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
    std::string why = test == nullptr ? "nvbandwidth has no such test" : why_other(result);
    Row row{.bytes = print::param_integer(result, "bytes").value_or(0), .key = result.key};
    if (why.empty() && result.status == Status::ok) {
      row.cells = gigabytes_of_ranks(result);
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
    std::vector<double> cells = {};
    ordered_json json = {};
  };

  static void note(const std::string& key, const std::string& why) {
    log::info(fmt::format("not in this format: {}: {}", text::printable(key), why));
  }

  /// Why the case differs from nvbandwidth's test; empty if it does not.
  std::string why_other(const CaseResult& result) const {
    if (axis_text(result, "numa", "local") != "local")
      return "nvbandwidth uses memory near the GPU only";
    if (print::param_integer(result, "ranks").value_or(1) == 1) return "";
    if (axis_text(result, "devices", "all") != "all") return "events time all GPUs together";
    if (nodes_.size() > 1) return "nvbandwidth has no such test of several hosts";
    return shares_gpus_ ? "ranks share a GPU" : "";
  }

  static ordered_json described(const NvbandwidthTest& test, const char* name,
                                const CaseResult& result, const std::vector<double>& cells) {
    ordered_json one = {{"name", name}};
    if (result.status == Status::skipped) {
      one["status"] = "Waived";
    } else if (result.status != Status::ok) {
      one["status"] = "Error";
      one["error"] = text::json_text(result.reason);
    }
    if (!one.contains("status")) {
      one["bandwidth_description"] = test.description;
      double sum = 0, least = 0, most = 0;
      ordered_json row = ordered_json::array();
      for (const double cell : cells) {
        const std::string text = text::csv_number(cell * test.counted);
        const double value = std::stod(text);
        row.push_back(text);  // cells are texts in nvbandwidth too
        least = row.size() == 1 ? value : std::min(least, value);
        most = std::max(most, value);
        sum += value;
      }
      one["bandwidth_matrix"] = ordered_json::array({row});
      one["sum"] = sum;
      one["min"] = least;
      one["max"] = most;
      one["average"] = sum / static_cast<double>(cells.size());
      one["status"] = "Passed";
    }
    one[kNvbandwidthKey] = text::json_text(result.key);
    return one;
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
