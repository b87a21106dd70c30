// SPDX-License-Identifier: Apache-2.0
// Explains the flags of rows to the user.
#pragma once

#include <string>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// One line per flag that occurs, sorted by name ("throttled: ..." also for "throttled:2"). Further
/// lines explain other notes in the table, such as rows that more runs will not decide.
std::vector<std::string> flag_lines(const Comparison& comparison);

}  // namespace scalemark::compare
