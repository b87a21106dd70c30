// SPDX-License-Identifier: Apache-2.0
// From raw samples to the numbers of a row.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

/// The numbers of a row. Values that the samples do not support are NaN.
struct Summary {
  double median = 0;
  double low = 0, high = 0;  ///< 95 % order-statistic interval of the median
  double mean = 0, min = 0, max = 0;
  /// NaN below 100, 500 and 5,000 iterations: at least five lie beyond each.
  double p95 = 0, p99 = 0, p999 = 0;
  std::size_t n = 0;  ///< iterations counted (warm-up left out)
};

/// One value per iteration in the metric's unit: ranks reduced by `rank_reduce`, without warm-up. A
/// rate is derived from its source metric. Throws Error if that is missing.
std::vector<double> per_iteration(const CaseResult& result, const Metric& metric);

/// As per_iteration(), for a metric with samples of its own, including the warm-up.
std::vector<double> every_iteration(const Metric& metric);

/// The median alone, which costs less. That of a rate is the rate of the median time.
double median_of(const CaseResult& result, const Metric& metric);

/// Metric peak_fraction of a case that is ok, or the fact of that name, which imported files have.
std::optional<double> peak_fraction_of(const CaseResult& result);

/// The summary of per_iteration(). The headline of a collective is thus the median over iterations
/// of the maximum over ranks. For a single value all three of median, low and high are that value.
/// A rate's numbers are the rates of its time's, except for the percentiles.
Summary summarise(const CaseResult& result, const Metric& metric);

/// The mean of each rank's samples without the warm-up, of rank 0 alone if the metric is the
/// root's; of the first `most_ranks` at most. Empty if nothing was measured.
std::vector<double> rank_means(const Metric& metric, std::size_t most_ranks = SIZE_MAX);

/// OSU's statistic of a duration metric: mean over ranks of each rank's mean, and the smallest and
/// largest of these means. Seconds; NaN if nothing was measured.
struct OsuStatistic {
  double average = 0, minimum = 0, maximum = 0;
};
OsuStatistic osu_statistic(const Metric& metric, std::size_t most_ranks = SIZE_MAX);

}  // namespace scalemark
