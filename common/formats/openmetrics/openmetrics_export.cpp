// SPDX-License-Identifier: Apache-2.0
// Exports a run as OpenMetrics text, which Prometheus and others read: a family of gauges for each
// metric and unit, a line for each case, its axes as labels.
// https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/formats/exporters.hpp"
#include "common/formats/utc.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::formats {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

/// Letters, digits and underscores, not beginning with a digit.
std::string name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += is_kept ? c : '_';
  }
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "_" + name : name;
}

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
    return name_of(unit.substr(1, unit.size() - 2)) + "s";
  return unit.empty() ? std::string() : name_of(unit);
}

std::string escaped(std::string_view text) {
  std::string clean;
  for (const char c : text::printable(text)) {
    if (c == '\\' || c == '"') clean += '\\';
    clean += c;
  }
  return clean;
}

/// {benchmark="micro/allreduce",bytes="8"}
std::string in_braces(const Labels& labels) {
  std::vector<std::string> words;
  for (const auto& [name, value] : labels)
    words.push_back(fmt::format("{}=\"{}\"", name, escaped(value)));
  return words.empty() ? std::string() : fmt::format("{{{}}}", text::join(words, ","));
}

/// Gauges of one name. Lines of a family must follow each other.
struct Family {
  std::string unit, help;
  std::vector<std::string> lines;
  std::set<std::string> labels;  ///< of all lines
};

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
    Labels labels{{"benchmark", result.name}};
    for (const auto& [axis, value] : result.params)
      labels.emplace_back(name_of(axis), to_text(value));
    for (const Metric& metric : result.metrics) add_metric(result, metric, labels);
  }

  void end(const Run& run) override {
    for (const auto& [status, count] : cases_)
      add("scalemark_cases", "", "Cases by status", {{"status", status}},
          static_cast<double>(count));
    add("scalemark_wrong_elements", "", "Elements that verification found wrong", {}, wrong_);
    add("scalemark_run_complete", "", "1 if all planned cases were run", {}, run.complete ? 1 : 0);
    for (const auto& [name, family] : families_) {
      fmt::print(out(), "# TYPE {} gauge\n", name);
      if (!family.unit.empty()) fmt::print(out(), "# UNIT {} {}\n", name, family.unit);
      fmt::print(out(), "# HELP {} {}.\n", name, escaped(family.help));
      for (const std::string& line : family.lines) fmt::print(out(), "{}\n", line);
    }
    fmt::print(out(), "# EOF\n");
    Printer::end(run);
  }

 private:
  void add_metric(const CaseResult& result, const Metric& metric, const Labels& labels) {
    const std::string unit = unit_word(metric.unit),
                      name = "scalemark_" + name_of(metric.name) + (unit.empty() ? "" : "_" + unit),
                      help = fmt::format("{} of a case, and the 95 % interval of its median",
                                         text::printable(metric.name));
    const Summary summary = summarise(result, metric);
    const auto statistic = [&](const char* what, double value) {
      Labels all = labels;
      all.emplace_back("statistic", what);
      add(name, unit, help, all, value);
    };
    statistic("median", summary.median);
    if (!(summary.low < summary.high)) return;
    statistic("low", summary.low);
    statistic("high", summary.high);
  }

  void add(const std::string& name, const std::string& unit, const std::string& help,
           const Labels& labels, double value) {
    if (!std::isfinite(value)) return;
    const std::string words = in_braces(labels);
    Family& family = families_[name];
    family.unit = unit;
    family.help = help;
    if (!family.labels.insert(words).second) {
      target_.note(fmt::format("left out, since its labels are there already: {}{}", name, words));
      return;
    }
    family.lines.push_back(fmt::format("{}{} {:.12g}", name, words, value));
  }

  ExportTarget target_;
  std::map<std::string, Family> families_;
  std::map<std::string, std::size_t> cases_;
  double wrong_ = 0;
};

}  // namespace

std::shared_ptr<ResultSink> make_openmetrics_export(const ExportOptions& /*options*/,
                                                    const ExportTarget& target) {
  return std::make_shared<OpenMetricsExport>(target);
}

}  // namespace scalemark::formats
