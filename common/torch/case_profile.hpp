// SPDX-License-Identifier: Apache-2.0
// Axis `profile` of trainings: what the GPUs and the calls to them did, as metrics.
#pragma once

#include <cstdint>
#include <memory>

#include "common/core/case.hpp"
#include "common/profile/profile.hpp"

namespace scalemark::torch_support {

/// Watches this rank's GPU where axis `profile` is true, and does nothing where it is false.
class CaseProfile {
 public:
  /// Collective. Skips the case where it wants a profile of what cannot be watched.
  explicit CaseProfile(Case& c);
  /// The two may be called again and again; what lies between counts.
  void start();
  void stop();
  /// Collective. The metrics, or fact profile_problem where a rank could not watch all of its
  /// training. `whole`: the training began in this run.
  void record(bool whole);

 private:
  Case& c_;
  std::unique_ptr<profile::Profile> profile_;
};

/// Collective. Metrics of `totals`, this rank's. `time_X` is the sum of the durations of X, as
/// Nsight Systems has it, of the rank with the most; `share_X` is what their union covers of
/// profile_time, mean of the ranks, at most 1; bytes and counts are sums over the ranks.
void record_activity(Case& c, const profile::ActivityTotals& totals);

}  // namespace scalemark::torch_support
