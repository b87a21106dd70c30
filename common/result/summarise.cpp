// SPDX-License-Identifier: Apache-2.0
// Reduction over ranks, summaries, OSU's statistic.
#include "common/result/summarise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/stats/summary.hpp"

namespace scalemark {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMinForP95 = 100;
constexpr std::size_t kMinForP99 = 500;
constexpr std::size_t kMinForP999 = 5000;

template <class T>
bool above(T one, T other) {
  if constexpr (std::is_floating_point_v<T>) return one > other || std::isnan(one);
  return one > other;
}

/// The largest sample of each iteration; NaN of any rank stays. Rank by rank, as samples lie in
/// memory.
template <class T>
std::vector<T> largest(const std::vector<T>& values, std::size_t ranks, std::size_t n) {
  std::vector<T> top(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    const T* row = values.data() + rank * n;
    for (std::size_t i = 0; i < n; ++i) top[i] = above(row[i], top[i]) ? row[i] : top[i];
  }
  return top;
}

template <class T>
std::vector<double> reduce_rows(const Samples& samples, const std::vector<T>& values,
                                RankReduce reduce) {
  const std::size_t n = samples.iterations;
  if (values.size() < samples.ranks * n) throw Error("samples were not read");
  const auto inner = static_cast<double>(samples.inner);
  const auto value = [&](T sample) { return static_cast<double>(sample) * samples.scale / inner; };
  std::vector<double> result(n);
  // The largest sample has the largest value: one conversion an iteration is enough.
  const bool by_sample = reduce == RankReduce::max && samples.scale > 0;
  const std::vector<T> top = by_sample ? largest(values, samples.ranks, n) : std::vector<T>();
  for (std::size_t i = 0; i < n; ++i) result[i] = value(by_sample ? top[i] : values[i]);
  if (by_sample || reduce == RankReduce::root) return result;
  for (std::size_t rank = 1; rank < samples.ranks; ++rank) {
    const T* row = values.data() + rank * n;
    for (std::size_t i = 0; i < n; ++i) {
      const double one = value(row[i]);
      if (reduce != RankReduce::max) {
        result[i] += one;
      } else if (above(one, result[i])) {
        result[i] = one;
      }
    }
  }
  if (reduce == RankReduce::mean) {
    for (double& one : result) one /= static_cast<double>(samples.ranks);
  }
  return result;
}

std::vector<double> reduce_ranks(const Metric& metric) {
  std::vector<double> values = every_iteration(metric);
  const std::vector<std::uint8_t>& warmup = metric.samples.warmup;
  if (warmup.empty() || values.empty()) return values;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (warmup[i] == 0) values[kept++] = values[i];
  }
  values.resize(kept);
  return values;
}

/// The duration that a rate derives from.
const Metric& source_of(const CaseResult& result, const Metric& rate) {
  const Metric* source = result.find(rate.source);
  if (source == nullptr || source->kind != MetricKind::duration) {
    throw Error(
        fmt::format("metric {} of {} is a rate of \"{}\", which is not a duration of this case",
                    rate.name, result.key, rate.source));
  }
  return *source;
}

/// Work by time; a time that is not positive gives no rate.
double rate_of(double numerator, double seconds) {
  return seconds > 0 ? numerator / seconds : kNan;
}

Summary summarise_values(const std::vector<double>& values) {
  Summary summary{kNan, kNan, kNan, kNan, kNan, kNan, kNan, kNan, kNan, values.size()};
  const bool broken =
      std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  if (values.empty() || broken) return summary;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const stats::Interval interval = stats::median_interval(values);
  summary.median = stats::quantile_sorted(sorted, 0.5);
  summary.low = interval.low;
  summary.high = interval.high;
  summary.mean = stats::mean(values);
  summary.min = sorted.front();
  summary.max = sorted.back();
  if (values.size() >= kMinForP95) summary.p95 = stats::quantile_sorted(sorted, 0.95);
  if (values.size() >= kMinForP99) summary.p99 = stats::quantile_sorted(sorted, 0.99);
  if (values.size() >= kMinForP999) summary.p999 = stats::quantile_sorted(sorted, 0.999);
  return summary;
}

}  // namespace

std::vector<double> every_iteration(const Metric& metric) {
  const Samples& samples = metric.samples;
  if (samples.ranks == 0) return {};
  return std::visit(
      [&](const auto& values) { return reduce_rows(samples, values, metric.rank_reduce); },
      samples.values);
}

std::vector<double> per_iteration(const CaseResult& result, const Metric& metric) {
  if (metric.kind != MetricKind::rate) return reduce_ranks(metric);
  std::vector<double> values = reduce_ranks(source_of(result, metric));
  for (double& value : values) value = rate_of(metric.numerator, value);
  return values;
}

double median_of(const CaseResult& result, const Metric& metric) {
  if (metric.kind != MetricKind::rate) return stats::median(reduce_ranks(metric));
  return rate_of(metric.numerator, stats::median(reduce_ranks(source_of(result, metric))));
}

std::optional<double> peak_fraction_of(const CaseResult& result) {
  double fraction = std::numeric_limits<double>::quiet_NaN();
  if (const Metric* metric = result.find("peak_fraction")) {
    if (result.status == Status::ok) fraction = median_of(result, *metric);
  } else if (const auto* number = find_as<double>(result.facts, "peak_fraction")) {
    fraction = *number;
  }
  return std::isfinite(fraction) ? std::optional(fraction) : std::nullopt;
}

Summary summarise(const CaseResult& result, const Metric& metric) {
  const Summary direct = summarise_values(per_iteration(result, metric));
  if (metric.kind != MetricKind::rate) return direct;
  // Computed from the time's summary, so that rate and time of one case agree. The median of an
  // even number of rates is not the rate of the median time, and the mean of rates is not a rate.
  const Summary time = summarise_values(reduce_ranks(source_of(result, metric)));
  const auto rate = [&](double seconds) { return rate_of(metric.numerator, seconds); };
  return {rate(time.median), rate(time.high), rate(time.low), rate(time.mean), rate(time.max),
          rate(time.min),    direct.p95,      direct.p99,     direct.p999,     time.n};
}

std::vector<double> rank_means(const Metric& metric, std::size_t most_ranks) {
  const Samples& samples = metric.samples;
  const std::size_t most = metric.rank_reduce == RankReduce::root ? 1 : most_ranks;
  std::vector<double> means;
  for (std::size_t rank = 0; rank < std::min(most, samples.ranks); ++rank) {
    double total = 0;
    std::size_t counted = 0;
    for (std::size_t iteration = 0; iteration < samples.iterations; ++iteration) {
      if (samples.is_warmup(iteration)) continue;
      total += samples.value(rank, iteration);
      ++counted;
    }
    if (counted > 0) means.push_back(total / static_cast<double>(counted));
  }
  return means;
}

OsuStatistic osu_statistic(const Metric& metric, std::size_t most_ranks) {
  const std::vector<double> means = rank_means(metric, most_ranks);
  if (means.empty()) return {kNan, kNan, kNan};
  const auto [least, most] = std::minmax_element(means.begin(), means.end());
  return {stats::mean(means), *least, *most};
}

}  // namespace scalemark
