// SPDX-License-Identifier: Apache-2.0
// Finds a host or rank whose messages are slow with every partner.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// Time of a message between two ends (hosts or ranks, numbered from 0).
struct PairTime {
  std::size_t first = 0, second = 0;
  double seconds = 0;
};

/// A slow end and how slow it is.
struct SlowEnd {
  std::size_t end = 0;
  double factor = 0;      ///< median time of its pairs / median time of all other pairs
  std::size_t pairs = 0;  ///< number of pairs that include it
};

/// The end whose pairs are all slow, if that is significant. Two differences must both exceed 5 %
/// and the noise limit. First, its fastest pair against the fastest pair of three quarters of the
/// other ends. Second, the median of its pairs against the median of all pairs without it. The
/// noise limit is the t quantile at 1 - `level` / ends, times the standard deviation of a pair.
/// That deviation is 1.4826 times the median absolute deviation from the two medians, on
/// logarithms. It is moderated (Smyth 2004) with four degrees of freedom of 10 %, a usual
/// difference between pairs of equal hosts. A single slow pair makes no end slow, since both of its
/// ends have faster pairs. Pairs without a positive time do not count. Ends with less than two
/// pairs, or with pairs to less than half of the others, are not judged; at least three ends are
/// needed. In data without a slow end, the chance to report one is at most `level`.
std::optional<SlowEnd> slow_end(std::span<const PairTime> pairs, double level = 0.01);

/// A slow host, or a slow rank.
struct SlowPlace {
  std::string host;
  std::vector<std::size_t> ranks;  ///< all ranks of the host in the case, or only the slow one
  bool is_rank = false;
  double factor = 0;      ///< as in SlowEnd
  std::size_t pairs = 0;  ///< pairs of hosts, or of ranks
};

/// The slow host or rank in table `pairs` of a case (`pairs=all`). Hosts are compared by the median
/// over pairs of ranks between two hosts. If none is slow, ranks are compared within a NUMA node
/// (within a host if ranks are not bound), since more distant ranks take longer anyway. At most 1
/// in 100 cases without a slow place reports one.
std::optional<SlowPlace> slow_place(const CaseResult& result);

/// "node2 is slow: its 3 pairs take 1.8 times as long as others", "rank 5 on node2 is slow: ..."
std::string slow_text(const SlowPlace& slow);

}  // namespace scalemark::analysis
