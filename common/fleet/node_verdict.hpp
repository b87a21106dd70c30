// SPDX-License-Identifier: Apache-2.0
// Which nodes are slow, by the times of their pairs: first suspects, then verdicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/fleet/pair_rounds.hpp"

namespace scalemark::fleet {

/// Time of a pair's messages; not positive or not finite where it was not measured.
struct PairTime {
  NodePair nodes;
  double seconds = 0;
};

/// Whether a time was measured: positive and finite.
bool is_measured(double seconds);

/// What the pairs of a screening say. Times are logarithms of seconds.
struct Screening {
  double median = 0;                  ///< of all pairs
  double sigma = 0;                   ///< scaled median absolute deviation of all pairs from it
  std::vector<std::size_t> suspects;  ///< in order
  std::vector<std::size_t> proven;    ///< nodes with a fast pair, in order
  std::vector<std::size_t> untested;  ///< without a measured pair
};

/// A node is a suspect if its fastest pair is slower than the median of all pairs by more than one
/// sigma, and the median of its pairs by more than 1.5 sigma and 3 %. It is proven if its fastest
/// pair is not slower than that.
Screening screen(std::size_t nodes, std::span<const PairTime> times);

enum class NodeVerdict : std::uint8_t { ok, suspect, bad, untested };

/// "OK", "SUSPECT", "BAD", "UNTESTED"
std::string_view to_string(NodeVerdict verdict);

/// 0 ok, 1 untested, 2 suspect, 3 bad: of two verdicts the one that matters more is the larger.
int severity(NodeVerdict verdict);

struct JudgedNode {
  NodeVerdict verdict = NodeVerdict::ok;
  double factor = 1;      ///< median time of its pairs / median of all; suspects: with proven nodes
  std::size_t pairs = 0;  ///< that the factor is of
};

/// Verdicts of all nodes, from the screening and from the times of the suspects' confirmation(),
/// one of so many `measurements` of the same nodes. With z the normal quantile at 1 - 0.01 / (nodes
/// * measurements) and k pairs, a suspect is bad if the median of its pairs is beyond the median of
/// the fleet by more than 5 % and by more than z 1.2533 sigma / sqrt(k), where 1.2533 / sqrt(k) is
/// the standard error of a median. So a fleet without a slow node has a bad one at most once in a
/// hundred. Else it stays a suspect, and with less than three measured pairs it is untested.
std::vector<JudgedNode> judge(std::size_t nodes, const Screening& screening,
                              std::span<const PairTime> screened,
                              std::span<const PairTime> confirmed, std::size_t measurements = 1);

}  // namespace scalemark::fleet
