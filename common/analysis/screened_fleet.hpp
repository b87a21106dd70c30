// SPDX-License-Identifier: Apache-2.0
// What a screening of pairs (`pairs=screening`) says of the nodes and links of a cluster.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/fleet/node_verdict.hpp"
#include "common/fleet/slow_pairs.hpp"
#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A rank of the screening, and the host that it ran on.
struct ScreenedRank {
  std::string host;
  fleet::JudgedNode judged;
  std::size_t rail = 0;
};

/// Ranks are judged by those of their rail, where `pairs=rails` measured each rail by itself.
struct ScreenedFleet {
  std::vector<ScreenedRank> ranks;     ///< by number
  std::vector<fleet::SlowPair> links;  ///< slow in two measurements, between ranks
  std::vector<fleet::PairTime> times;  ///< all measurements, between ranks
  std::size_t screening_rounds = 0, rounds = 0;
  std::size_t rails = 1;
};

/// Nothing for another case, one that failed, and one whose table `pairs` is damaged.
std::optional<ScreenedFleet> screened_fleet(const CaseResult& result);

/// "of 64 ranks: rank 5 on node6 takes 1.52 times as long", or "64 ranks: none is slow"
std::string fleet_text(const ScreenedFleet& fleet);

}  // namespace scalemark::analysis
