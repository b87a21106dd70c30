// SPDX-License-Identifier: Apache-2.0
#include "common/cli/commands/rank_reach.hpp"

#include <iterator>

#include <fmt/format.h>

#include "common/base/units.hpp"

namespace scalemark::cli {

std::string RankReach::note() const {
  return fmt::format(
      "{} ranks are {} times the most that was measured; the forms were tested over {} times only.",
      ranks, units::significant(beyond, 2), units::significant(tested_beyond, 2));
}

RankReach reach_of(int ranks, const std::set<int>& measured) {
  const double most = *measured.rbegin();
  return {ranks, ranks / most, most / *std::next(measured.rbegin())};
}

}  // namespace scalemark::cli
