// SPDX-License-Identifier: Apache-2.0
// Computes OSU's statistics: means over ranks of each rank's mean, percentiles of means over ranks.
#include "common/formats/osu/osu_columns.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/print/printers.hpp"

namespace scalemark::formats {
namespace {

constexpr double kMicroseconds = 1e6;
constexpr double kMegabytes = 1e6;
constexpr int kOsuPercentiles[] = {50, 90, 99};

/// Whether samples of all ranks that OSU counts are stored; imports have one number for all ranks.
bool has_own_samples(const CaseResult& result, const Metric& metric) {
  if (metric.kind != MetricKind::duration || metric.samples.ranks == 0) return false;
  if (metric.rank_reduce == RankReduce::root) return true;
  return print::param_integer(result, "ranks") == static_cast<std::int64_t>(metric.samples.ranks);
}

/// Mean over ranks of each iteration after the warm-up.
std::vector<double> means_of_iterations(const Metric& metric, std::size_t ranks) {
  const Samples& samples = metric.samples;
  std::vector<double> means;
  for (std::size_t i = 0; i < samples.iterations; ++i) {
    if (samples.is_warmup(i)) continue;
    double sum = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) sum += samples.value(rank, i);
    means.push_back(sum / static_cast<double>(ranks));
  }
  return means;
}

void sort_numbers(std::vector<double>& values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
}

/// The duration a rate is computed from; null if another program printed the rate.
const Metric* time_of_rate(const CaseResult& result, const Metric& rate) {
  const Metric* time = rate.kind == MetricKind::rate ? result.find(rate.source) : nullptr;
  return time != nullptr && time->kind == MetricKind::duration ? time : nullptr;
}

class OsuRow {
 public:
  OsuRow(const OsuTest& test, const CaseResult& result, const PrintOptions& options)
      : test_(test), result_(result), options_(options) {}

  std::vector<OsuColumn> columns() {
    const Metric* metric = result_.find(result_.primary_metric);
    if (metric == nullptr) return {};
    const bool is_rate = is_bandwidth(test_) || test_.table == OsuTable::message_rate;
    if (metric->unit != (is_rate ? "By/s" : "s")) return {};
    if (is_rate) {
      add_rates(*metric);
    } else if (is_overlapped(test_, result_)) {
      add_overlap(*metric);
    } else {
      add_latency(*metric);
    }
    if (columns_.empty()) return {};
    if (options_.verbosity > (is_collective(test_) ? 1 : 0)) add_validation();
    if (options_.verbosity > 1) is_rate ? add_rate_tails(*metric) : add_time_tails(*metric);
    if (is_spaced(result_))
      columns_.push_back({kOsuTransmitted, print::param_text(result_, "bytes")});
    return std::move(columns_);
  }

 private:
  /// In tests of pairs OSU prints the times of rank 0 only, even with several pairs.
  std::size_t most_ranks() const { return is_collective(test_) ? SIZE_MAX : 1; }

  void add_number(std::string heading, double value) {
    std::string text;
    if (std::isfinite(value)) text = fmt::format("{:.{}f}", value, options_.decimals.value_or(2));
    columns_.push_back({std::move(heading), std::move(text)});
  }

  void add_latency(const Metric& metric) {
    add_number(test_.table == OsuTable::one_sided ? "Latency (us)" : "Avg Latency(us)",
               osu_statistic(metric, most_ranks()).average * kMicroseconds);
    const auto spread = spread_over_ranks(result_, metric);
    if (!is_collective(test_) || options_.verbosity < 1 || !spread) return;
    add_number("Min Latency(us)", spread->minimum * kMicroseconds);
    add_number("Max Latency(us)", spread->maximum * kMicroseconds);
    columns_.push_back({"Iterations", fmt::format("{}", repetitions(result_, metric.samples)), 12});
  }

  /// Uses the mean time of the senders: rank 0, or the first half of the ranks.
  double rate_of(const Metric& rate) const {
    const Metric* time = time_of_rate(result_, rate);
    if (time == nullptr) return median_of(result_, rate);
    const bool is_many = test_.table == OsuTable::message_rate;
    const std::size_t senders = std::max<std::size_t>(1, is_many ? time->samples.ranks / 2 : 1);
    return rate.numerator / osu_statistic(*time, senders).average;
  }

  void add_rates(const Metric& bandwidth) {
    if (is_bandwidth(test_)) return add_number("Bandwidth (MB/s)", rate_of(bandwidth) / kMegabytes);
    const Metric* messages = result_.find("message_rate");
    if (messages == nullptr) return;
    add_number("MB/s", rate_of(bandwidth) / kMegabytes);
    add_number("Messages/s", rate_of(*messages));
  }

  /// Pure communication time, and the share overlapped with computation.
  void add_overlap(const Metric& pure) {
    const auto mean = [&](const char* name) -> std::optional<double> {
      const Metric* metric = result_.find(name);
      if (metric == nullptr || metric->unit != "s") return std::nullopt;
      return osu_statistic(*metric).average;
    };
    const auto overall = mean("overall_time"), compute = mean("compute_time");
    if (!overall || !compute) return;
    const double alone = osu_statistic(pure).average;
    // Another program's printed ratio has more digits than one from its printed times.
    const double overlap = printed_number(result_, "overlap_ratio", "1")
                               .value_or(std::max(0.0, 1 - (*overall - *compute) / alone));
    const auto init = mean("init_time"), test = mean("test_time"), wait = mean("wait_time");
    const auto spread = spread_over_ranks(result_, pure);
    const bool is_full = options_.verbosity > 0 && init && test && wait && spread;
    add_number("Overall(us)", *overall * kMicroseconds);
    add_number("Compute(us)", *compute * kMicroseconds);
    if (is_full) {
      add_number("Coll. Init(us)", *init * kMicroseconds);
      add_number("MPI_Test(us)", *test * kMicroseconds);
      add_number("MPI_Wait(us)", *wait * kMicroseconds);
    }
    add_number("Pure Comm.(us)", alone * kMicroseconds);
    if (is_full) {
      add_number("Min Comm.(us)", spread->minimum * kMicroseconds);
      add_number("Max Comm.(us)", spread->maximum * kMicroseconds);
    }
    add_number("Overlap(%)", overlap * 100);
  }

  void add_validation() {
    if (!test_.has_validation || !result_.verification.done) return;
    const bool passed = result_.verification.wrong == 0;
    const char* words[] = {is_one_sided(test_) ? "failed" : "Fail",
                           is_one_sided(test_) ? "passed" : "Pass"};
    columns_.push_back({"Validation", words[passed ? 1 : 0]});
  }

  /// For non-blocking collectives OSU uses the overall times, with computation.
  void add_time_tails(const Metric& metric) {
    const Metric* overall = is_overlapped(test_, result_) ? result_.find("overall_time") : nullptr;
    add_tails(overall == nullptr ? metric : *overall);
  }

  void add_tails(const Metric& metric) {
    std::vector<double> sorted;
    if (has_own_samples(result_, metric)) {
      const bool is_root = metric.rank_reduce == RankReduce::root;
      sorted =
          means_of_iterations(metric, is_root ? 1 : std::min(most_ranks(), metric.samples.ranks));
      sort_numbers(sorted);
    }
    add_percentiles("Lat(us)", metric.name + "_p", 1 / kMicroseconds, sorted);
  }

  /// OSU uses only the rates of rank 0.
  void add_rate_tails(const Metric& rate) {
    std::vector<double> sorted;
    if (const Metric* time = time_of_rate(result_, rate);
        time != nullptr && time->samples.ranks > 0) {
      sorted = means_of_iterations(*time, 1);
      for (double& one : sorted) one = rate.numerator / one;
      sort_numbers(sorted);
    }
    add_percentiles("BW(MB/s)", "bandwidth_p", kMegabytes, sorted);
  }

  /// OSU 7.4, c/util/osu_util_mpi.c: the index n*p/100 is truncated and counts from 1.
  void add_percentiles(const char* what, const std::string& imported, double unit,
                       const std::vector<double>& sorted) {
    for (const int percent : kOsuPercentiles) {
      double value = 0;
      if (const Metric* known = result_.find(fmt::format("{}{}", imported, percent))) {
        value = median_of(result_, *known);
      } else if (!sorted.empty()) {
        const std::size_t place = sorted.size() * static_cast<std::size_t>(percent) / 100;
        value = sorted[std::max<std::size_t>(place, 1) - 1];
      } else {
        continue;
      }
      add_number(fmt::format("P{} Tail {}", percent, what), value / unit);
    }
  }

  const OsuTest& test_;
  const CaseResult& result_;
  const PrintOptions& options_;
  std::vector<OsuColumn> columns_;
};

/// Whether the time can be printed in whole milliseconds.
bool is_in_milliseconds(double seconds) { return seconds >= 0 && seconds < 1e9; }

/// Rounds to nanoseconds before truncating to milliseconds, which removes floating point errors.
std::int64_t whole_milliseconds(double seconds) { return std::llround(seconds * 1e9) / 1'000'000; }

}  // namespace

std::vector<OsuColumn> osu_columns(const OsuTest& test, const CaseResult& result,
                                   const PrintOptions& options) {
  return OsuRow(test, result, options).columns();
}

std::string osu_init_sentence(const CaseResult& result) {
  const Metric* time = result.find(result.primary_metric);
  const auto ranks = print::param_integer(result, "ranks");
  if (time == nullptr || time->kind != MetricKind::duration || !ranks) return "";
  const auto spread = spread_over_ranks(result, *time);
  const std::vector<double> means = rank_means(*time);
  if (!spread || means.empty() || !is_in_milliseconds(spread->minimum) ||
      !is_in_milliseconds(spread->maximum) ||
      !std::all_of(means.begin(), means.end(), is_in_milliseconds))
    return "";
  std::int64_t sum = 0;
  for (const double mean : means) sum += whole_milliseconds(mean);
  return fmt::format("nprocs: {}, min: {} ms, max: {} ms, avg: {} ms", *ranks,
                     whole_milliseconds(spread->minimum), whole_milliseconds(spread->maximum),
                     sum / static_cast<std::int64_t>(means.size()));
}

std::uint64_t repetitions(const CaseResult& result, const Samples& samples) {
  const auto* count = find_as<std::int64_t>(result.facts, "iterations");
  if (count != nullptr && *count > 0) return static_cast<std::uint64_t>(*count);
  const auto warm = std::count_if(samples.warmup.begin(), samples.warmup.end(),
                                  [](std::uint8_t one) { return one != 0; });
  return (samples.iterations - static_cast<std::size_t>(warm)) * samples.inner;
}

std::optional<OsuStatistic> spread_over_ranks(const CaseResult& result, const Metric& metric) {
  OsuStatistic time = osu_statistic(metric);
  if (has_own_samples(result, metric)) return time;
  const Metric* least = result.find(metric.name + "_min");
  const Metric* largest = result.find(metric.name + "_max");
  if (least == nullptr || largest == nullptr) return std::nullopt;
  time.minimum = median_of(result, *least);
  time.maximum = median_of(result, *largest);
  return time;
}

std::optional<double> printed_number(const CaseResult& result, const std::string& name,
                                     const std::string& unit) {
  const Metric* metric = result.find(name);
  if (metric == nullptr || metric->kind != MetricKind::count || metric->unit != unit)
    return std::nullopt;
  return median_of(result, *metric);
}

bool has_wrong_data(const CaseResult& result) {
  return result.verification.done && result.verification.wrong > 0;
}

}  // namespace scalemark::formats
