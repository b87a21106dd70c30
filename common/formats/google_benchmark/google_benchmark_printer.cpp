// SPDX-License-Identifier: Apache-2.0
// Prints Google Benchmark's JSON. Each case has mean, median, standard deviation and coefficient of
// variation, as with --benchmark_report_aggregates_only. Iterations are printed as repetitions on
// request.
#include <array>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/version.hpp"
#include "common/formats/google_benchmark/google_benchmark.hpp"
#include "common/formats/printers.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"
#include "common/text/cells.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::ordered_json;

constexpr double kNanoseconds = 1e9;
constexpr std::string_view kOwnPrefix = "kernels/";

/// "kernels/memcpy bytes=4096 ranks=1 threads=2" -> "memcpy/bytes:4096/threads:2", as
/// scalemark-kernels prints it. Other cases keep their suite.
std::string benchmark_name(const CaseResult& result) {
  const bool own = result.name.starts_with(kOwnPrefix);
  std::string name = own ? result.name.substr(kOwnPrefix.size()) : result.name;
  for (const auto& [axis, value] : result.params) {
    if (own && axis == "ranks") continue;
    const std::string text = to_text(value);
    if (own && axis == "threads" && text == "1") continue;
    name += fmt::format("/{}:{}", axis, text);
  }
  return text::json_text(name).get<std::string>();
}

std::int64_t threads_of(const CaseResult& result) {
  const auto* count = result.params.find_as<std::int64_t>("threads");
  return count == nullptr ? 1 : *count;
}

/// The primary metric if it is a time, else the time it is computed from.
const Metric* time_of(const CaseResult& result) {
  const Metric* primary = result.find(result.primary_metric);
  if (primary != nullptr && primary->unit != "s") primary = result.find(primary->source);
  return primary != nullptr && primary->unit == "s" ? primary : nullptr;
}

/// A member of Google Benchmark's rows with its values.
struct MemberColumn {
  std::string member;
  std::vector<double> values;  ///< per iteration
};

/// The time and related rates, each with one value per iteration.
std::vector<MemberColumn> columns_of_case(const CaseResult& result, const Metric& time) {
  struct Known {
    const char *metric, *unit, *member;
    double factor;
  };
  constexpr std::array kKnown = {Known{"cpu_time", "s", "cpu_time", kNanoseconds},
                                 Known{"bandwidth", "By/s", "bytes_per_second", 1},
                                 Known{"item_rate", "{item}/s", "items_per_second", 1}};
  std::vector<double> seconds = per_iteration(result, time);
  for (double& value : seconds) value *= kNanoseconds;
  std::vector<MemberColumn> columns = {{"real_time", seconds}, {"cpu_time", seconds}};
  for (const Known& known : kKnown) {
    const Metric* metric = result.find(known.metric);
    if (metric == nullptr || metric->unit != known.unit) continue;
    MemberColumn column{known.member, per_iteration(result, *metric)};
    for (double& value : column.values) value *= known.factor;
    if (column.values.size() != seconds.size()) continue;
    const bool is_cpu = column.member == columns[1].member;
    if (is_cpu) columns[1] = std::move(column);
    if (!is_cpu) columns.push_back(std::move(column));
  }
  return columns;
}

/// Aggregates that Google Benchmark computes over repetitions; cv is a ratio.
struct Aggregate {
  const char *name, *unit;
  double (*of)(std::span<const double> values);
};
constexpr std::array kAggregates = {
    Aggregate{"mean", "time", stats::mean}, Aggregate{"median", "time", stats::median},
    Aggregate{"stddev", "time", stats::stddev},
    Aggregate{"cv", "percentage", [](std::span<const double> values) {
                return stats::stddev(values) / stats::mean(values);
              }}};

class GoogleBenchmarkPrinter final : public print::Printer {
 public:
  using print::Printer::Printer;

  void begin(const Run& run) override {
    const ordered_json context = {
        {"date", text::json_text(run.created)},
        {"host_name", text::json_text(run.ranks.empty() ? std::string() : run.ranks.front().node)},
        {"executable", "scalemark"},
        {"library_version", fmt::format("scalemark {}", version())},
        {"json_schema_version", 1}};
    out() << "{\n\"context\": " << context.dump() << ",\n\"benchmarks\": [";
  }

  void add(const CaseResult& result) override {
    const Metric* time = result.status == Status::ok ? time_of(result) : nullptr;
    if (time == nullptr) return print(unmeasured(result));
    const std::vector<MemberColumn> columns = columns_of_case(result, *time);
    const std::size_t repetitions = columns.front().values.size();
    // As in Google Benchmark, a single repetition has no aggregates.
    if (repetitions < 2 || options().verbosity > 0) print_repetitions(result, *time, columns);
    if (repetitions >= 2) print_aggregates(result, *time, columns);
  }

  void end(const Run& run) override {
    out() << (empty_ ? "]\n}\n" : "\n]\n}\n");
    print::Printer::end(run);
  }

 private:
  void print_repetitions(const CaseResult& result, const Metric& time,
                         const std::vector<MemberColumn>& columns) {
    const std::size_t repetitions = columns.front().values.size();
    for (std::size_t i = 0; i < repetitions; ++i) {
      ordered_json one = described(result);
      one["repetitions"] = repetitions;
      one["repetition_index"] = i;
      one["iterations"] = time.samples.inner;
      for (const MemberColumn& column : columns)
        one[column.member] = text::json_number(column.values[i]);
      finish(result, time, one);
    }
  }

  void print_aggregates(const CaseResult& result, const Metric& time,
                        const std::vector<MemberColumn>& columns) {
    const std::size_t repetitions = columns.front().values.size();
    for (const Aggregate& aggregate : kAggregates) {
      ordered_json one = described(result);
      one["name"] = fmt::format("{}_{}", one["name"].get<std::string>(), aggregate.name);
      one["run_type"] = "aggregate";
      one["repetitions"] = repetitions;
      one["aggregate_name"] = aggregate.name;
      one["aggregate_unit"] = aggregate.unit;
      one["iterations"] = repetitions;
      for (const MemberColumn& column : columns)
        one[column.member] = text::json_number(aggregate.of(column.values));
      finish(result, time, one);
    }
  }

  void finish(const CaseResult& result, const Metric& time, ordered_json& one) {
    one["time_unit"] = "ns";
    if (!result.name.starts_with(kOwnPrefix)) one[kMetricMember] = text::json_text(time.name);
    print(one);
  }

  static ordered_json described(const CaseResult& result) {
    const std::string name = benchmark_name(result);
    ordered_json one = {{"name", name},
                        {"run_name", name},
                        {"run_type", "iteration"},
                        {"threads", threads_of(result)}};
    if (!result.name.starts_with(kOwnPrefix)) one[kKeyMember] = text::json_text(result.key);
    return one;
  }

  static ordered_json unmeasured(const CaseResult& result) {
    ordered_json one = described(result);
    const bool failed = result.status != Status::ok && result.status != Status::skipped;
    const std::string reason = result.status == Status::ok ? "it measured no time" : result.reason;
    one[failed ? "error_occurred" : "skipped"] = true;
    one[failed ? "error_message" : "skip_message"] = text::json_text(reason);
    // As in Google Benchmark: tools expect a time in every row.
    one["iterations"] = 0;
    one["real_time"] = 0.0;
    one["cpu_time"] = 0.0;
    one["time_unit"] = "ns";
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

}  // namespace scalemark::formats
