// SPDX-License-Identifier: Apache-2.0
// The host or rank whose messages are slow whoever is at the other end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// What a message took between two ends (hosts or ranks, numbered from 0).
struct PairTime {
  std::size_t first = 0, second = 0;
  double seconds = 0;
};

struct SlowEnd {
  std::size_t end = 0;
  double factor = 0;      ///< the median time of its pairs / that of the others
  std::size_t pairs = 0;  ///< that it is one end of
};

/// The end whose every pair is slow, if that is sure: its fastest pair takes longer than the
/// fastest pair of three quarters of the other ends, and the median of its pairs longer than that
/// of the pairs without it, both by more than 5 % and than the t quantile of `level` / ends times
/// the standard deviation of a pair. That is 1.4826 times the median deviation from these two
/// medians (logarithms), moderated (Smyth 2004) by four degrees of freedom of 10 %, what pairs of
/// equal hosts are taken to differ by where few pairs tell. A single slow pair is no slow end,
/// since both of its ends have faster ones. Pairs whose time is no positive number do not count; an
/// end with less than two pairs, or with less than half of them, is not judged; nothing below three
/// ends. At most a `level` of tables without a slow end name one.
std::optional<SlowEnd> slow_end(std::span<const PairTime> pairs, double level = 0.01);

/// A host that is slow, or one rank.
struct SlowPlace {
  std::string host;
  std::vector<std::size_t> ranks;  ///< all of the host in the case, or the one that is slow
  bool is_rank = false;
  double factor = 0;      ///< as in SlowEnd
  std::size_t pairs = 0;  ///< of hosts, or of ranks
};

/// From table `pairs` of a case (`pairs=all`): the slow host, by the median pair of ranks between
/// each two hosts; else the slow rank among those of one NUMA node (of one host, where ranks are
/// not bound), since ranks farther apart take longer anyway. At most one name in 100 is false.
std::optional<SlowPlace> slow_place(const CaseResult& result);

/// "node2 is slow: its 3 pairs take 1.8 times as long as others", "rank 5 on node2 is slow: ..."
std::string slow_text(const SlowPlace& slow);

}  // namespace scalemark::analysis
