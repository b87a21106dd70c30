// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's JSON: every iteration of a case is a repetition, for tools that read it.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/version.hpp"
#include "common/report/cells.hpp"
#include "common/report/google_benchmark.hpp"
#include "common/report/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::report {
namespace {

using nlohmann::ordered_json;

constexpr double kNanoseconds = 1e9;
constexpr std::string_view kOwn = "kernels/";

/// "kernels/memcpy bytes=4096 ranks=1 threads=2" -> "memcpy/bytes:4096/threads:2", as the program
/// of the kernels prints it; another case keeps its whole name.
std::string benchmark_name(const CaseResult& result) {
  const bool own = result.name.starts_with(kOwn);
  std::string name = own ? result.name.substr(kOwn.size()) : result.name;
  for (const auto& [axis, value] : result.params) {
    if (own && axis == "ranks") continue;
    const std::string text = to_text(value);
    if (own && axis == "threads" && text == "1") continue;
    name += fmt::format("/{}:{}", axis, text);
  }
  return json_text(name).get<std::string>();
}

std::int64_t threads_of(const CaseResult& result) {
  const auto found = result.params.find("threads");
  const auto* count =
      found == result.params.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return count == nullptr ? 1 : *count;
}

/// The time that is the case's headline, or that its headline follows from.
const Metric* time_of(const CaseResult& result) {
  const Metric* primary = result.find(result.primary_metric);
  if (primary != nullptr && primary->unit != "s") primary = result.find(primary->source);
  return primary != nullptr && primary->unit == "s" ? primary : nullptr;
}

/// A member that Google Benchmark has for a metric.
struct Column {
  const char* member;
  std::vector<double> values;  ///< an iteration
};

std::vector<Column> other_columns(const CaseResult& result) {
  struct Known {
    const char *metric, *unit, *member;
    double factor;
  };
  constexpr std::array kKnown = {Known{"cpu_time", "s", "cpu_time", kNanoseconds},
                                 Known{"bandwidth", "By/s", "bytes_per_second", 1},
                                 Known{"item_rate", "{item}/s", "items_per_second", 1}};
  std::vector<Column> columns;
  for (const Known& known : kKnown) {
    const Metric* metric = result.find(known.metric);
    if (metric == nullptr || metric->unit != known.unit) continue;
    columns.push_back({known.member, per_iteration(result, *metric)});
    for (double& value : columns.back().values) value *= known.factor;
  }
  return columns;
}

class GoogleBenchmarkPrinter final : public Printer {
 public:
  using Printer::Printer;

  void begin(const Run& run) override {
    const ordered_json context = {
        {"date", json_text(run.created)},
        {"host_name", json_text(run.ranks.empty() ? std::string() : run.ranks.front().node)},
        {"executable", "scalemark"},
        {"library_version", fmt::format("scalemark {}", version())},
        {"json_schema_version", 1}};
    out() << "{\n\"context\": " << context.dump() << ",\n\"benchmarks\": [";
  }

  void add(const CaseResult& result) override {
    const Metric* time = result.status == Status::ok ? time_of(result) : nullptr;
    if (time == nullptr) return print(unmeasured(result));
    const std::vector<double> seconds = per_iteration(result, *time);
    const std::vector<Column> columns = other_columns(result);
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      ordered_json one = described(result);
      one["repetitions"] = seconds.size();
      one["repetition_index"] = i;
      one["iterations"] = time->samples.inner;
      one["real_time"] = seconds[i] * kNanoseconds;
      one["cpu_time"] = one["real_time"];
      one["time_unit"] = "ns";
      for (const Column& column : columns) {
        if (i < column.values.size()) one[column.member] = json_number(column.values[i]);
      }
      if (!result.name.starts_with(kOwn)) one[kMetricMember] = json_text(time->name);
      print(one);
    }
  }

  void end(const Run& run) override {
    out() << (empty_ ? "]\n}\n" : "\n]\n}\n");
    Printer::end(run);
  }

 private:
  static ordered_json described(const CaseResult& result) {
    const std::string name = benchmark_name(result);
    ordered_json one = {{"name", name},
                        {"run_name", name},
                        {"run_type", "iteration"},
                        {"threads", threads_of(result)}};
    if (!result.name.starts_with(kOwn)) one[kKeyMember] = json_text(result.key);
    return one;
  }

  static ordered_json unmeasured(const CaseResult& result) {
    ordered_json one = described(result);
    const bool failed = result.status != Status::ok && result.status != Status::skipped;
    const std::string reason = result.status == Status::ok ? "it measured no time" : result.reason;
    one[failed ? "error_occurred" : "skipped"] = true;
    one[failed ? "error_message" : "skip_message"] = json_text(reason);
    return one;
  }

  void print(const ordered_json& one) {
    out() << (empty_ ? "\n" : ",\n") << one.dump();
    empty_ = false;
  }

  bool empty_ = true;
};

}  // namespace

std::shared_ptr<ResultSink> make_google_benchmark_printer(std::ostream& out,
                                                          const PrintOptions& options) {
  return std::make_shared<GoogleBenchmarkPrinter>(out, options);
}

}  // namespace scalemark::report
