// SPDX-License-Identifier: Apache-2.0
// What the short words beside the rows of a comparison mean.
#pragma once

#include <string>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// One line for each flag that a row has ("throttled: ..." for "throttled:2", too), by name, and
/// one where rows need so many runs that more runs will not decide them.
std::vector<std::string> flag_lines(const Comparison& comparison);

}  // namespace scalemark::compare
