// SPDX-License-Identifier: Apache-2.0
// Point-to-point benchmarks over many pairs of ranks.
#pragma once

#include <functional>
#include <string>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/point_to_point/point_to_point.hpp"

namespace scalemark::micro {

/// Declares the axes ranks (2) and pairs. adjacent: all pairs across the two halves of the ranks at
/// once. all: every rank with every other. screening: every rank with a few others, then those that
/// were slow with five that were not. rails: a screening of the ranks of the same number on each
/// host, for one number after the other. On all ranks of the job, unless more than two are
/// requested or pairs is adjacent.
void pair_axes(Benchmark& benchmark);

/// Whether pairs run in rounds: all, screening or rails.
bool is_in_rounds(const Case& c);

/// Skips the case if the number of ranks is odd.
void require_even_ranks(const Case& c);

struct PairMetric {
  std::string metric;
  double scale = 1.0;
  bool first_receives = true;  ///< false: only sends; only its partner checks data
};

/// One rank's part of the work of a pair; `first`: whether it starts.
using PairWork = std::function<std::function<void()>(Messages&, int peer, bool first)>;

/// Measures pairs in rounds of disjoint ones. A sample is one pass over all rounds; its value is
/// the rank's slowest pair. So the metric's maximum over ranks is the slowest pair of all. Table
/// `pairs`: both ranks with nodes and NUMA nodes, and the pair's median. A screening then has as
/// many passes in which suspects (fleet::screen()) meet proven ranks; column `round` counts on, and
/// fact `screening_rounds` says where they begin. Column `rail` has the number of both ranks on
/// their hosts, where each rail is screened by itself. The data of the first pass are verified.
void measure_pairs_in_rounds(Case& c, Messages& messages, const PairMetric& metric,
                             const PairWork& work);

}  // namespace scalemark::micro
