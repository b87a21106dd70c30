// SPDX-License-Identifier: Apache-2.0
// Computes medians, tails, quantile sketches and quality flags from samples.
#include "common/compare/row_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/autocorrelation.hpp"
#include "common/stats/quantiles.hpp"
#include "common/stats/steadiness.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kMinForTail = 1000, kMinForSketch = 50;
constexpr double kFewEffective = 30;
constexpr std::size_t kSketch = 100;  // number of quantiles
/// This many evenly spaced iterations suffice for a sketch and for the effective sample size.
constexpr std::size_t kMaxThinned = 4096;

std::vector<double> thinned(std::span<const double> values) {
  const std::size_t step = (values.size() + kMaxThinned - 1) / kMaxThinned;
  std::vector<double> some;
  for (std::size_t i = 0; i < values.size(); i += std::max<std::size_t>(step, 1))
    some.push_back(values[i]);
  return some;
}

std::vector<float> sketch_of(std::vector<double> values) {
  std::ranges::sort(values);
  if (!(values.front() > 0) || std::isinf(values.back())) return {};
  std::vector<float> sketch;
  for (std::size_t i = 0; i < kSketch; ++i) {
    const auto thousandths = static_cast<std::int64_t>((2 * i + 1) * 1000 / (2 * kSketch));
    sketch.push_back(static_cast<float>(std::log(stats::type7(values, thousandths))));
  }
  return sketch;
}

struct Tail {
  double value = 0, low = 0, high = 0;
};

/// The 99th percentile (type 7) and its 95 % interval from order statistics (Le Boudec 2010,
/// chapter 2). Sorts only the upper end of the values.
Tail upper_hundredth(std::vector<double> values) {
  const auto n = static_cast<double>(values.size());
  const double reach = 1.959963984540054 * std::sqrt(n * 0.99 * 0.01);
  const auto low = static_cast<std::size_t>(std::floor(0.99 * n - reach)) - 1;
  const auto high = static_cast<std::size_t>(std::ceil(0.99 * n + reach));  // 1-based rank - 1
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(values.begin(), end, values.end());
  std::sort(end, values.end());
  const std::size_t k = (values.size() - 1) * 99 / 100;
  const double part = static_cast<double>((values.size() - 1) * 99 % 100) / 100;
  const double next = values[std::min(k + 1, values.size() - 1)];
  return {values[k] + part * (next - values[k]), values[low],
          values[std::min(high, values.size() - 1)]};
}

void flag_marked(const Samples& samples, std::set<std::string>& flags) {
  static constexpr std::array<std::pair<SampleFlag, const char*>, 4> kMarks = {
      {{kThrottled, "throttled"},
       {kClockChanged, "clock_changed"},
       {kRetried, "retried"},
       {kInvalid, "invalid"}}};
  unsigned any = 0;
  for (std::size_t i = 0; i < samples.flags.size(); ++i) {
    if (!samples.is_warmup(i)) any |= samples.flags[i];
  }
  for (const auto& [mark, name] : kMarks) {
    if ((any & mark) != 0) flags.insert(name);
  }
}

/// Number of warm-up iterations before the first measured one.
std::size_t leading_warmup(const Samples& samples) {
  std::size_t count = 0;
  while (count < samples.warmup.size() && samples.warmup[count] != 0) ++count;
  return count;
}

std::vector<double> without_warmup(const Samples& samples, const std::vector<double>& all) {
  if (samples.warmup.empty()) return all;
  std::vector<double> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!samples.is_warmup(i)) values.push_back(all[i]);
  }
  return values;
}

}  // namespace

void digest_samples(const CaseResult& result, const Metric& metric, RowDigest& row) {
  const Metric* timed = metric.kind == MetricKind::rate ? result.find(metric.source) : &metric;
  const bool is_time = timed != nullptr && timed->kind == MetricKind::duration;
  if (!is_time) {
    row.value = median_of(result, metric);
    return;
  }
  const Samples& samples = timed->samples;
  const std::vector<double> all = every_iteration(*timed);
  const std::vector<double> values = without_warmup(samples, all);
  const double time = stats::median(values);
  const auto in_metric = [&](double seconds) {
    if (metric.kind != MetricKind::rate) return seconds;
    return seconds > 0 ? metric.numerator / seconds : std::nan("");
  };
  row.value = in_metric(time);
  flag_marked(samples, row.flags);
  if (!(time > 0)) return;
  if (std::holds_alternative<std::vector<std::uint64_t>>(samples.values))
    row.relative_resolution = samples.scale / static_cast<double>(samples.inner) / time;
  for (const std::string& flag :
       stats::steadiness_flags(all, leading_warmup(samples), row.relative_resolution))
    row.flags.insert(flag);
  if (values.size() >= kMinForTail) {
    const Tail tail = upper_hundredth(values);
    row.tail = in_metric(tail.value);
    row.tail_low = in_metric(tail.low);
    row.tail_high = in_metric(tail.high);
    if (row.tail_low > row.tail_high) std::swap(row.tail_low, row.tail_high);
  }
  if (values.size() < kMinForSketch) return;
  const std::vector<double> some = thinned(values);
  if (stats::sign_autocorrelation(some).n_eff < kFewEffective)
    row.flags.insert("few_effective_samples");
  row.sketch = sketch_of(some);
}

std::map<std::string, WatchedValue> telemetry_medians(const std::map<std::string, Table>& tables) {
  std::map<std::string, WatchedValue> medians;
  for (const char* kind : {"node", "gpu"}) {
    const auto table = tables.find(fmt::format("telemetry/{}", kind));
    if (table == tables.end()) continue;
    for (const Column& column : table->second.columns) {
      if (column.name == "t" || column.name == "device") continue;
      std::vector<double> values;
      if (const auto* counts = std::get_if<std::vector<std::uint64_t>>(&column.values)) {
        for (const std::uint64_t one : *counts) values.push_back(static_cast<double>(one));
      } else if (const auto* reals = std::get_if<std::vector<double>>(&column.values)) {
        for (const double one : *reals) {
          if (std::isfinite(one)) values.push_back(one);
        }
      }
      if (values.empty()) continue;
      // unit 1: shares and event counts, which are mostly 0
      const bool share = column.unit == "1";
      medians[fmt::format("{}.{}", kind, text::printable(column.name, 80))] = {
          share ? stats::mean(values) : stats::median(values), text::printable(column.unit, 40)};
    }
  }
  return medians;
}

}  // namespace scalemark::compare
