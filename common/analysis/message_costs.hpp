// SPDX-License-Identifier: Apache-2.0
// Latency, bandwidth and n1/2 of sweeps over message sizes, fitted to latency + bytes / bandwidth.
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

/// What a sweep needs from a case; holds no samples.
struct SweepCase {
  std::string key;    ///< key of the case
  std::string sweep;  ///< the key without `bytes`
  /// Message size and time (s).
  double bytes = 0, seconds = 0;
};

/// Time of one operation (s). The primary metric if that is a duration, or the duration from which
/// a primary rate is computed. Otherwise `bytes` / `bandwidth`, for imported files that store no
/// time. Nothing if the case is not ok or has no such time.
std::optional<double> operation_seconds(const CaseResult& result);

/// Extracts size and operation_seconds() from a case. Nothing if it has no axis `bytes` or no time.
std::optional<SweepCase> sweep_case(const CaseResult& result);

/// The fitted model time = latency + bytes / bandwidth, with separate parameters per protocol.
struct MessageCost {
  stats::CostFit fit;
  double last_bytes = 0;     ///< the largest size used in the fit
  std::size_t left_out = 0;  ///< number of larger sizes that were not used
  /// Root mean square of the relative residuals, corrected for the number of fitted parameters.
  double residual = 0;
  /// Why the sweep does not follow the model, in one line. Empty if it does; only then are the
  /// numbers of `fit` valid.
  std::string problem;
};

/// Fits the model to a sweep: `bytes` in ascending order, `seconds` per size. Nothing with fewer
/// than five sizes, or with values that are not positive. A sweep follows the model if residuals
/// are at most 10 %, larger messages take longer, the latency is visible, and the largest size is
/// at least twice n1/2. If all sizes together do not follow it, up to a quarter of them is left
/// out, largest first, as few as possible (large sizes may overflow a cache); of more than 128
/// sizes, in up to 32 steps.
std::optional<MessageCost> message_cost(std::span<const double> bytes,
                                        std::span<const double> seconds);

/// The cases that differ only in message size, and their fit.
struct Sweep {
  std::string name;  ///< the key without `bytes`
  std::vector<std::string> keys;
  MessageCost cost;
};
/// Groups cases into sweeps, in order of appearance. If a sweep has a size twice, the first case
/// counts. Sweeps without a fit (fewer than five sizes) are left out.
std::vector<Sweep> sweeps_of(std::span<const SweepCase> cases);
/// Per case, the median of its times over runs. If a run has a case twice, the first counts.
std::vector<SweepCase> over_runs(std::span<const std::vector<SweepCase>> runs);

/// "latency 1.500 us, bandwidth 12.50 GB/s, n1/2 18.31 KiB (residuals 2.1 %)", or why the sweep
/// does not follow the model.
std::string message_cost_text(const MessageCost& cost);
/// Prints two lines per sweep; nothing without sweeps.
void print_message_costs(const std::vector<Sweep>& sweeps, std::ostream& out);
/// The field `message_cost` of each case of a sweep.
nlohmann::ordered_json message_cost_json(const Sweep& sweep);

}  // namespace scalemark::analysis
