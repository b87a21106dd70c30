// SPDX-License-Identifier: Apache-2.0
// Imports Google Benchmark's JSON. Repetitions become iterations; aggregates are ignored. If a file
// has only aggregates, the median becomes the single iteration.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/case_key.hpp"
#include "common/formats/google_benchmark/google_benchmark.hpp"
#include "common/formats/json_fields.hpp"
#include "common/formats/printed_table.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::json;

/// Times are stored in femtoseconds: a loop's time per operation can be a fraction of a nanosecond.
constexpr double kFemtosecond = 1e-15;
constexpr double kLongest = 18'000;  // seconds; as femtoseconds they fit into 64 bits

/// Standard members; all others are user counters.
const std::set<std::string>& known_members() {
  static const std::set<std::string> kKnown = {"name",
                                               "family_index",
                                               "per_family_instance_index",
                                               "run_name",
                                               "run_type",
                                               "repetitions",
                                               "repetition_index",
                                               "threads",
                                               "iterations",
                                               "real_time",
                                               "cpu_time",
                                               "time_unit",
                                               "label",
                                               "error_occurred",
                                               "error_message",
                                               "skipped",
                                               "skip_message",
                                               "bytes_per_second",
                                               "items_per_second",
                                               "aggregate_name",
                                               "aggregate_unit",
                                               kKeyMember,
                                               kMetricMember};
  return kKnown;
}

double seconds_of(const json& row, const char* name, const std::string& place) {
  struct TimeUnit {
    const char* name;
    double seconds;
  };
  constexpr std::array kUnits = {TimeUnit{"ns", 1e-9}, TimeUnit{"us", 1e-6}, TimeUnit{"ms", 1e-3},
                                 TimeUnit{"s", 1}};
  const std::string unit = text_of(member(row, "time_unit", place), "time_unit", place);
  const double number = number_of(member(row, name, place), name, place);
  for (const TimeUnit& known : kUnits) {
    if (unit != known.name) continue;
    if (number * known.seconds > kLongest) fail(place, "a time of at most five hours", row[name]);
    return number * known.seconds;
  }
  fail(place, "\"time_unit\" to be ns, us, ms or s", row["time_unit"]);
}

/// "BM_copy/bytes:4096/16/threads:2" -> kernels/BM_copy bytes=4096 arg1=16, named as by
/// scalemark-kernels.
CaseResult case_of_name(const std::string& name, std::int64_t threads) {
  constexpr std::array kOptions = {"threads",         "iterations", "repeats",     "min_time",
                                   "min_warmup_time", "real_time",  "process_time"};
  const std::vector<std::string> parts = text::split(name, '/');
  CaseResult result;
  result.name = "kernels/" + (parts.empty() ? std::string("unnamed") : parts.front());
  std::replace(result.name.begin(), result.name.end(), ' ', '_');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t colon = parts[i].find(':');
    const std::string axis = colon == std::string::npos ? "" : parts[i].substr(0, colon);
    const std::string& word = colon == std::string::npos ? parts[i] : axis;
    if (std::find(kOptions.begin(), kOptions.end(), word) != kOptions.end()) continue;
    const bool named = text::is_identifier(axis);
    result.params[named ? axis : fmt::format("arg{}", i - 1)] =
        value_of_text(named ? parts[i].substr(colon + 1) : parts[i]);
  }
  result.params["ranks"] = std::int64_t{1};
  result.params["threads"] = threads;
  set_key(result);
  return result;
}

/// A case, and the place of each of its metrics: a row may have any number of counters.
struct Taken {
  CaseResult result;
  std::map<std::string, std::size_t> places;
};

/// Appends one repetition to the samples of a metric.
void append(Taken& taken, const char* name, const char* unit, Better better, double value) {
  const bool is_time = std::string_view(unit) == "s";
  const auto [place, is_new] = taken.places.try_emplace(name, taken.result.metrics.size());
  if (is_new) {
    Metric& metric = add_metric(taken.result, {name, unit, 0, better}, {});
    metric.rank_reduce = RankReduce::max;
    metric.samples.scale = is_time ? kFemtosecond : 1;
    metric.samples.iterations = 0;
    if (is_time) {
      metric.samples.values = std::vector<std::uint64_t>();
    } else {
      metric.samples.values = std::vector<double>();
    }
  }
  Samples& samples = taken.result.metrics[place->second].samples;
  ++samples.iterations;
  if (is_time) {
    std::get<std::vector<std::uint64_t>>(samples.values)
        .push_back(static_cast<std::uint64_t>(std::llround(value / kFemtosecond)));
  } else {
    std::get<std::vector<double>>(samples.values).push_back(value);
  }
}

/// Metric name of `real_time`: given by Scalemark's own files, else "time".
std::string time_name(const json& row, const std::string& place) {
  if (!row.contains(kMetricMember)) return "time";
  const json& given = row[kMetricMember];
  const std::string name = text_of(given, kMetricMember, place);
  if (!text::is_identifier(name)) fail(place, "a metric's name", given);
  return name;
}

void take_numbers(Taken& taken, const json& row, const std::string& place,
                  const ImportTaker& taker) {
  const std::string time = time_name(row, place);
  append(taken, time.c_str(), "s", Better::lower, seconds_of(row, "real_time", place));
  // Files of Scalemark repeat `real_time` as `cpu_time`.
  if (!row.contains(kMetricMember))
    append(taken, "cpu_time", "s", Better::lower, seconds_of(row, "cpu_time", place));
  if (row.contains("bytes_per_second"))
    append(taken, "bandwidth", "By/s", Better::higher,
           number_of(row["bytes_per_second"], "bytes_per_second", place));
  if (row.contains("items_per_second"))
    append(taken, "item_rate", "{item}/s", Better::higher,
           number_of(row["items_per_second"], "items_per_second", place));
  for (const auto& [name, value] : row.items()) {
    if (known_members().contains(name)) continue;
    const std::string metric = snake_case(name);
    if (value.is_number() && text::is_identifier(metric)) {
      append(taken, metric.c_str(), "1", Better::none, value.get<double>());
    } else {
      taker.note(fmt::format("{}: \"{}\" is not known and not imported", place,
                             text::printable(name, 80)));
    }
  }
}

/// Whether the benchmark failed or was skipped; newer versions use `skipped`, older ones
/// `error_occurred`.
bool take_failure(CaseResult& result, const json& row, const std::string& place) {
  const bool failed = row.contains("error_occurred") && row["error_occurred"] == true;
  const bool skipped = row.contains("skipped") && row["skipped"] == true;
  if (!failed && !skipped) return false;
  const char* said = failed ? "error_message" : "skip_message";
  result.status = failed ? Status::failed : Status::skipped;
  result.reason = row.contains(said) ? text_of(row[said], said, place) : said;
  return true;
}

/// Cases in order of first appearance.
class Cases {
 public:
  Taken& of(const json& row, const std::string& place) {
    if (row.contains(kKeyMember)) {
      return entered(case_of_key(text_of(row[kKeyMember], kKeyMember, place), place));
    }
    const char* name = row.contains("run_name") ? "run_name" : "name";
    const std::int64_t threads =
        row.contains("threads") ? integer_of(row["threads"], "threads", kMaxRanks, place) : 1;
    return entered(case_of_name(text_of(member(row, name, place), name, place), threads));
  }
  std::vector<Taken>& all() { return cases_; }

 private:
  Taken& entered(CaseResult made) {
    const auto [found, is_new] = places_.try_emplace(made.key, cases_.size());
    if (is_new) cases_.push_back({std::move(made), {}});
    return cases_[found->second];
  }

  std::map<std::string, std::size_t> places_;
  std::vector<Taken> cases_;
};

bool is_aggregate(const json& row) {
  return row.is_object() && row.contains("run_type") && row["run_type"] == "aggregate";
}

/// The name shared by all rows of a benchmark.
std::string run_name(const json& row) {
  for (const char* name : {kKeyMember, "run_name", "name"}) {
    if (row.contains(name) && row[name].is_string()) return row[name].get<std::string>();
  }
  return {};
}

/// Benchmarks with one row per repetition.
std::set<std::string> with_repetitions(const json& rows) {
  std::set<std::string> names;
  for (const json& row : rows) {
    if (row.is_object() && !is_aggregate(row)) names.insert(run_name(row));
  }
  return names;
}

}  // namespace

void import_google_benchmark(const ImportSource& source, const ImportTaker& taker) {
  const std::string file = text::printable(source.file.string()), content = read_text(source.file);
  const json document = parse_json(content, file);
  const json& rows = member(document, "benchmarks", file);
  if (!rows.is_array()) fail(file, "\"benchmarks\" to be a list", rows);
  Cases cases;
  const std::set<std::string> repeated = with_repetitions(rows);
  std::size_t medians = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string place = fmt::format("{}: benchmarks[{}]", file, i);
    if (!rows[i].is_object()) fail(place, "an object", rows[i]);
    if (is_aggregate(rows[i])) {
      const bool is_median =
          rows[i].contains("aggregate_name") && rows[i]["aggregate_name"] == "median";
      if (!is_median || repeated.contains(run_name(rows[i]))) continue;
      ++medians;
    }
    Taken& taken = cases.of(rows[i], place);
    if (!take_failure(taken.result, rows[i], place)) take_numbers(taken, rows[i], place, taker);
  }
  if (medians > 0) {
    taker.note(
        fmt::format("{}: {} benchmark{} with aggregates only: the median is the one sample of each",
                    file, medians, medians == 1 ? "" : "s"));
  }
  std::string version;
  if (document.contains("context") && document["context"].is_object() &&
      document["context"].contains("library_version"))
    version = text_of(document["context"]["library_version"], "library_version", file);
  RunBuilder builder(imported_run(source, "Google Benchmark", version, content));
  for (Taken& taken : cases.all()) builder.add(std::move(taken.result), file);
  if (builder.empty()) throw InputError(fmt::format("{}: holds no benchmark", file));
  taker.run({builder.take(), {}});
}

}  // namespace scalemark::formats
