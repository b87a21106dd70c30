// SPDX-License-Identifier: Apache-2.0
// Latency and bandwidth from times by message size: time = latency + bytes / bandwidth, as in LogGP
// (Alexandrov et al. 1995), with one line per protocol of the library.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/stats/cost_partition.hpp"

namespace scalemark::stats {

/// A range of message sizes that one line fits.
struct CostRegime {
  double first_bytes = 0, last_bytes = 0;
  double latency = 0;           ///< s, at least 0
  double seconds_per_byte = 0;  ///< at least 0
  std::size_t points = 0;

  /// Bytes per second; infinite if larger messages take no longer.
  double bandwidth() const;
};

/// The fitted time of a message by its size.
struct CostFit {
  /// Ordered by size. A library that changes its protocol (eager, rendezvous) has one regime for
  /// each.
  std::vector<CostRegime> regimes;
  double relative_rms = 0;  ///< root mean square of the relative residuals, over all regimes

  /// Latency of the smallest messages, in s.
  double latency() const { return regimes.front().latency; }
  /// Asymptotic bandwidth of the largest messages, in B/s.
  double bandwidth() const { return regimes.back().bandwidth(); }
  /// Message size at which the last regime reaches half of bandwidth(): latency x bandwidth (n_1/2,
  /// Hockney).
  double half_bandwidth_bytes() const;
  /// Predicted time in s. Sizes between two regimes use the nearer one.
  double time(double bytes) const;
};

/// Fits of a sweep and of its first sizes.
class MessageCostFits {
 public:
  /// Sizes may be in any order and repeated. Up to CostPartitions::kAllCompared sizes, the fits
  /// take no longer together than one.
  MessageCostFits(std::span<const double> bytes, std::span<const double> seconds,
                  std::size_t most_regimes = 3);
  MessageCostFits(const MessageCostFits&) = delete;
  MessageCostFits& operator=(const MessageCostFits&) = delete;

  /// The fit of the smallest `count` sizes: at least 3, or all. Least squares of relative
  /// residuals, so that small messages weigh as much as large ones. The number of regimes (at most
  /// `most_regimes`, each with at least three points) minimises the Bayesian information criterion;
  /// residuals below 0.5 % count as zero. Returns no regimes for fewer than two different sizes,
  /// negative sizes, times that are not positive, or values that are not finite.
  CostFit first(std::size_t count) const;

 private:
  std::vector<double> bytes_, seconds_;  ///< sorted by size; empty if they cannot be fitted
  std::optional<CostPartitions> partitions_;
};

/// MessageCostFits of all sizes.
CostFit fit_message_cost(std::span<const double> bytes, std::span<const double> seconds,
                         std::size_t most_regimes = 3);

}  // namespace scalemark::stats
