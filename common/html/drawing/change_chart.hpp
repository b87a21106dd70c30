// SPDX-License-Identifier: Apache-2.0
// The changes of rows as a forest plot: a point each, its interval, and the band of the threshold.
#pragma once

#include <string>

#include "common/compare/compare.hpp"

namespace scalemark::html {

/// The figure of the rows that changed most, worst first; nothing without rows that have a change.
/// To the right is worse for B, whichever direction a metric has.
std::string change_chart(const compare::Comparison& comparison);

}  // namespace scalemark::html
