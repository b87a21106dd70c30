// SPDX-License-Identifier: Apache-2.0
// What takes most of a predicted time, over numbers of ranks.
#pragma once

#include <map>
#include <string>

namespace scalemark::cli {

/// "computing on 1 to 8 ranks, communication on 16 to 4096 ranks", from what takes most on each
/// number of ranks.
std::string bound_by_ranks(const std::map<int, std::string>& bounds);

}  // namespace scalemark::cli
