// SPDX-License-Identifier: Apache-2.0
// Which nodes are slow, by what each of them measured by itself.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/fleet/node_verdict.hpp"

namespace scalemark::fleet {

/// Fewer cannot be compared: nothing says which of two is slow.
constexpr std::size_t kMinLoneNodes = 3;

/// How much longer a node takes by itself than the others.
struct LoneNode {
  NodeVerdict verdict = NodeVerdict::ok;
  double factor = 1;  ///< its time / median of all nodes
};

/// Verdicts of nodes of one kind, each with its time in the same measurement; a time that is not
/// positive or not finite was not measured. A node is bad if its logarithmic time is above the
/// median by more than 5 % and by more than t sigma. Sigma is that of stats::pair_distance() over
/// all nodes, moderated (Smyth 2004) by 5 %, a usual difference between equal nodes, with two
/// degrees of freedom. t is Student's quantile at 1 - 0.01 / (nodes * `measurements`). So a table
/// of that many measurements without a slow node has a bad one at most once in a hundred, if its
/// nodes differ by no more than that, or by 10 % and are 64 at least. A node is suspect at ten
/// times that level. Fewer than kMinLoneNodes are untested.
std::vector<LoneNode> judge_alone(std::span<const double> seconds, std::size_t measurements);

/// The verdicts of nodes that take `factors` times as long as a baseline: the mean of `runs`, whose
/// logarithms have `variance`. The limits are those of judge_alone(), with the sigma of one run
/// more, over so many `comparisons` of nodes with baselines.
std::vector<LoneNode> judge_against(std::span<const double> factors, double variance,
                                    std::size_t runs, std::size_t comparisons);

}  // namespace scalemark::fleet
