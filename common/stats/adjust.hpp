// SPDX-License-Identifier: Apache-2.0
// Adjusts p-values for the number of tests. NaN means "no test": it does not count and stays NaN.
#pragma once

#include <span>
#include <vector>

namespace scalemark::stats {

/// Controls the false discovery rate (Benjamini and Hochberg 1995).
std::vector<double> benjamini_hochberg(std::span<const double> p);

/// Controls the false discovery rate for tests that depend on each other in any way (Benjamini and
/// Yekutieli 2001).
std::vector<double> benjamini_yekutieli(std::span<const double> p);

/// Controls the family-wise error rate (Holm 1979).
std::vector<double> holm(std::span<const double> p);
/// Controls the family-wise error rate: p x number of tests, at most 1.
std::vector<double> bonferroni(std::span<const double> p);

}  // namespace scalemark::stats
