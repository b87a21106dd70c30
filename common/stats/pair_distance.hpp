// SPDX-License-Identifier: Apache-2.0
// A robust standard deviation that few values suffice for.
#pragma once

#include <span>

namespace scalemark::stats {

/// Estimator Qn of Rousseeuw and Croux (1993): the k-th smallest distance of two values, k = h (h -
/// 1) / 2 and h = n / 2 + 1, times 2.21914 and their factor for few values. It is the standard
/// deviation of normal values, whatever less than half of them are. It knows as much as a standard
/// deviation of 82 % of the values; mad() as one of 37 %. 0 for fewer than two values; no value may
/// be NaN. n log n.
double pair_distance(std::span<const double> values);

}  // namespace scalemark::stats
