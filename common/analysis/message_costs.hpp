// SPDX-License-Identifier: Apache-2.0
// Latency, bandwidth and n1/2 of sweeps over message sizes, where a sweep is of that form.
#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/result/model.hpp"
#include "common/stats/message_cost.hpp"

namespace scalemark::analysis {

/// What a sweep looks at in a case, which needs no samples any more.
struct SweepCase {
  std::string key;    ///< of the case
  std::string sweep;  ///< the key without `bytes`
  double bytes = 0, seconds = 0;
};

/// Nothing for a case that is not ok, has no axis `bytes` or no time: the primary metric where that
/// is a duration in s, the duration that it derives from, or bytes / `bandwidth` where a file has
/// nothing else.
std::optional<SweepCase> sweep_case(const CaseResult& result);

/// time = latency + bytes / bandwidth, with a line of its own for each protocol.
struct MessageCost {
  stats::CostFit fit;
  double last_bytes = 0;     ///< the largest size of the fit
  std::size_t left_out = 0;  ///< so many sizes are larger
  /// Root mean square of the relative residuals, by the degrees of freedom that the fit leaves.
  double residual = 0;
  /// Why the sweep is not of that form, in one line; empty where it is, and only there the numbers
  /// of `fit` mean something.
  std::string problem;
};

/// `bytes` ascending. Nothing with fewer than five sizes or with values that are not positive. A
/// sweep is of the form where residuals are at most 10 %, more bytes take longer, there is a time
/// without bytes, and the largest size is at least twice n1/2. Where all sizes are not, a quarter
/// of them at most is left out from the largest down (a cache that overflows), as few as are
/// needed.
std::optional<MessageCost> message_cost(std::span<const double> bytes,
                                        std::span<const double> seconds);

struct Sweep {
  std::string name;  ///< the key without `bytes`
  std::vector<std::string> keys;
  MessageCost cost;
};
/// In order of appearance; of a size that a sweep has twice the first case.
std::vector<Sweep> sweeps_of(std::span<const SweepCase> cases);
/// Of each case the median of its times in the runs; one that a run has twice counts once.
std::vector<SweepCase> over_runs(std::span<const std::vector<SweepCase>> runs);

/// "latency 1.500 us, bandwidth 12.50 GB/s, n1/2 18.31 KiB (residuals 2.1 %)", or why not.
std::string message_cost_text(const MessageCost& cost);
/// As text; nothing when there is no sweep.
void print_message_costs(const std::vector<Sweep>& sweeps, std::ostream& out);
/// What each case of a sweep says of it.
nlohmann::ordered_json message_cost_json(const Sweep& sweep);

}  // namespace scalemark::analysis
