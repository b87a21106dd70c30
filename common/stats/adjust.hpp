// SPDX-License-Identifier: Apache-2.0
// p-values adjusted for the number of tests. NaN means "no test": it is not counted and stays NaN.
#pragma once

#include <span>
#include <vector>

namespace scalemark::stats {

/// False discovery rate (Benjamini and Hochberg 1995).
std::vector<double> benjamini_hochberg(std::span<const double> p);

/// False discovery rate under any dependence of the tests (Benjamini and Yekutieli 2001).
std::vector<double> benjamini_yekutieli(std::span<const double> p);

/// Family-wise error rate (Holm 1979).
std::vector<double> holm(std::span<const double> p);
/// p times the number of tests.
std::vector<double> bonferroni(std::span<const double> p);

}  // namespace scalemark::stats
