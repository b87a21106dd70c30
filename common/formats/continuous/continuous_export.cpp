// SPDX-License-Identifier: Apache-2.0
// Exports for services that follow benchmarks over the commits of a repository.
//   bmf     Bencher Metric Format: {KEY: {METRIC: {"value", "lower_value", "upper_value"}}}
//           https://bencher.dev/docs/reference/bencher-metric-format/
//   github  github-action-benchmark's customSmallerIsBetter: [{"name", "unit", "value", "range"}]
//           https://github.com/benchmark-action/github-action-benchmark
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/base/text.hpp"
#include "common/formats/exporters.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::ordered_json;

void add_bmf(const CaseResult& result, ordered_json& json, const ExportTarget& /*target*/) {
  ordered_json measures = ordered_json::object();
  for (const Metric& metric : result.metrics) {
    const Summary summary = summarise(result, metric);
    if (!std::isfinite(summary.median)) continue;
    ordered_json value{{"value", summary.median}};
    if (std::isfinite(summary.low)) value["lower_value"] = summary.low;
    if (std::isfinite(summary.high)) value["upper_value"] = summary.high;
    measures[text::printable(metric.name)] = std::move(value);
  }
  if (!measures.empty()) json[text::printable(result.key)] = std::move(measures);
}

/// The primary metric where a lower value is better, else the first metric that has that.
const Metric* smaller_is_better(const CaseResult& result) {
  const Metric* found = nullptr;
  for (const Metric& metric : result.metrics) {
    if (metric.better != Better::lower) continue;
    if (metric.name == result.primary_metric) return &metric;
    if (found == nullptr) found = &metric;
  }
  return found;
}

void add_github(const CaseResult& result, ordered_json& json, const ExportTarget& target) {
  const Metric* const metric = smaller_is_better(result);
  const Summary summary = metric == nullptr ? Summary{.median = NAN} : summarise(result, *metric);
  if (!std::isfinite(summary.median)) {
    target.note("left out, nothing there is better when smaller: " + text::printable(result.key));
    return;
  }
  ordered_json row{{"name", text::printable(result.key + " " + metric->name)},
                   {"unit", text::printable(metric->unit)},
                   {"value", summary.median}};
  if (summary.low < summary.high)
    row["range"] = fmt::format("{:.4g} to {:.4g}", summary.low, summary.high);
  json.push_back(std::move(row));
}

/// Gathers the numbers of all cases that ran, and writes them at the end.
class ContinuousExport final : public print::Printer {
 public:
  using AddCase = void (*)(const CaseResult& result, ordered_json& json,
                           const ExportTarget& target);
  ContinuousExport(ordered_json empty, AddCase add_case, const ExportTarget& target)
      : Printer(target.out, {}), json_(std::move(empty)), add_case_(add_case), target_(target) {}

  void add(const CaseResult& result) override {
    if (result.status == Status::ok && result.verification.wrong == 0)
      add_case_(result, json_, target_);
    else if (result.status != Status::skipped)
      target_.note(
          fmt::format("left out, {}: {}",
                      result.verification.wrong > 0 ? "wrong data" : to_string(result.status),
                      text::printable(result.key)));
  }

  void end(const Run& run) override {
    fmt::print(out(), "{}\n", json_.dump(1));
    Printer::end(run);
  }

 private:
  ordered_json json_;
  AddCase add_case_;
  ExportTarget target_;
};

}  // namespace

std::shared_ptr<ResultSink> make_bmf_export(const ExportOptions& /*options*/,
                                            const ExportTarget& target) {
  return std::make_shared<ContinuousExport>(ordered_json::object(), add_bmf, target);
}

std::shared_ptr<ResultSink> make_github_export(const ExportOptions& /*options*/,
                                               const ExportTarget& target) {
  return std::make_shared<ContinuousExport>(ordered_json::array(), add_github, target);
}

}  // namespace scalemark::formats
