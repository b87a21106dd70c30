// SPDX-License-Identifier: Apache-2.0
// Exports a run as OpenMetrics text, which Prometheus and others read: a family of gauges for each
// metric and unit, a line for each case, its axes as labels.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/formats/exporters.hpp"
#include "common/formats/openmetrics/families.hpp"
#include "common/formats/utc.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::formats {
namespace {

/// OpenMetrics' word for a unit of UCUM, of which a family's name has to end: "seconds" for "s",
/// "images_per_second" for "{image}/s". Empty for plain numbers.
std::string unit_word(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kWords = {
      {{"1", ""},
       {"s", "seconds"},
       {"By", "bytes"},
       {"flop", "flops"},
       {"J", "joules"},
       {"W", "watts"},
       {"Hz", "hertz"},
       {"Cel", "celsius"}}};
  if (unit.ends_with("/s")) {
    const std::string counted = unit_word(unit.substr(0, unit.size() - 2));
    return counted.empty() ? "per_second" : counted + "_per_second";
  }
  for (const auto& [known, word] : kWords) {
    if (unit == known) return std::string(word);
  }
  if (unit.size() > 2 && unit.front() == '{' && unit.back() == '}')
    return openmetrics_name(unit.substr(1, unit.size() - 2)) + "s";
  return unit.empty() ? std::string() : openmetrics_name(unit);
}

class OpenMetricsExport final : public print::Printer {
 public:
  explicit OpenMetricsExport(ExportTarget target)
      : Printer(target.out, {}), target_(std::move(target)) {}

  void begin(const Run& run) override {
    if (const auto start = milliseconds_of(run.created))
      add("scalemark_run_start_time_seconds", "seconds", "When the run began, in Unix time", {},
          static_cast<double>(*start) * 1e-3);
  }

  void add(const CaseResult& result) override {
    ++cases_[std::string(to_string(result.status))];
    wrong_ += static_cast<double>(result.verification.wrong);
    if (result.status != Status::ok) return;
    MetricLabels labels{{"benchmark", result.name}};
    for (const auto& [axis, value] : result.params)
      labels.emplace_back(openmetrics_name(axis), to_text(value));
    for (const Metric& metric : result.metrics) add_metric(result, metric, labels);
  }

  void end(const Run& run) override {
    for (const auto& [status, count] : cases_)
      add("scalemark_cases", "", "Cases by status", {{"status", status}},
          static_cast<double>(count));
    add("scalemark_wrong_elements", "", "Elements that verification found wrong", {}, wrong_);
    add("scalemark_run_complete", "", "1 if all planned cases were run", {}, run.complete ? 1 : 0);
    families_.print(out());
    Printer::end(run);
  }

 private:
  void add_metric(const CaseResult& result, const Metric& metric, const MetricLabels& labels) {
    const std::string unit = unit_word(metric.unit),
                      name = "scalemark_" + openmetrics_name(metric.name) +
                             (unit.empty() ? "" : "_" + unit),
                      help = fmt::format("{} of a case, and the 95 % interval of its median",
                                         text::printable(metric.name));
    const Summary summary = summarise(result, metric);
    const auto statistic = [&](const char* what, double value) {
      MetricLabels all = labels;
      all.emplace_back("statistic", what);
      add(name, unit, help, all, value);
    };
    statistic("median", summary.median);
    if (!(summary.low < summary.high)) return;
    statistic("low", summary.low);
    statistic("high", summary.high);
  }

  void add(const std::string& name, const std::string& unit, const std::string& help,
           const MetricLabels& labels, double value) {
    if (!families_.add(name, unit, help, labels, value))
      target_.note(fmt::format("left out, since its labels are there already: {}{}", name,
                               MetricFamilies::in_braces(labels)));
  }

  ExportTarget target_;
  MetricFamilies families_;
  std::map<std::string, std::size_t> cases_;
  double wrong_ = 0;
};

}  // namespace

std::shared_ptr<ResultSink> make_openmetrics_export(const ExportOptions& /*options*/,
                                                    const ExportTarget& target) {
  return std::make_shared<OpenMetricsExport>(target);
}

}  // namespace scalemark::formats
