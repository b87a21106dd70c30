// SPDX-License-Identifier: Apache-2.0
// Latency and bandwidth of a sweep over message sizes: time = latency + bytes / bandwidth, as in
// LogGP (Alexandrov et al. 1995), with a line of its own for each protocol of the library.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalemark::stats {

/// Sizes between which one line holds.
struct CostRegime {
  double first_bytes = 0, last_bytes = 0;
  double latency = 0;           ///< s, at least 0
  double seconds_per_byte = 0;  ///< at least 0
  std::size_t points = 0;

  /// Bytes a second; infinite where more bytes take no longer.
  double bandwidth() const;
};

struct CostFit {
  /// By size. A library that changes its protocol (eager, rendezvous) shows a regime for each.
  std::vector<CostRegime> regimes;
  double relative_rms = 0;  ///< of the residuals, all regimes

  /// Of the smallest messages.
  double latency() const { return regimes.front().latency; }
  /// That the largest messages tend to.
  double bandwidth() const { return regimes.back().bandwidth(); }
  /// The size from which on at least half of bandwidth() is reached by the last regime: latency
  /// times bandwidth (n_1/2, Hockney).
  double half_bandwidth_bytes() const;
  /// s; sizes between two regimes go by the nearer one.
  double time(double bytes) const;
};

/// Least squares of relative residuals, so that a microsecond counts at 8 bytes and not at 8 MiB.
/// As many regimes (at most `most_regimes`, each of three points or more) as the Bayesian
/// information criterion asks for; residuals below 0.5 % count as none. Sizes in any order,
/// repeated ones allowed. No regimes with fewer than two different sizes, or with a size or a time
/// that is no positive number (a size may be 0).
CostFit fit_message_cost(std::span<const double> bytes, std::span<const double> seconds,
                         std::size_t most_regimes = 3);

}  // namespace scalemark::stats
