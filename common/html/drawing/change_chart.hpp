// SPDX-License-Identifier: Apache-2.0
// Forest plot of the changes of rows: a point and an interval per row, and the threshold as a band.
#pragma once

#include <string>

#include "common/compare/compare.hpp"

namespace scalemark::html {

/// The figure of the rows that changed most, worst first; empty if no row has a change. Right means
/// worse for B, for every metric.
std::string change_chart(const compare::Comparison& comparison);

}  // namespace scalemark::html
