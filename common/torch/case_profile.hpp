// SPDX-License-Identifier: Apache-2.0
// Axis `profile` of trainings: metrics of GPU copies, kernels and CUDA API calls.
#pragma once

#include <cstdint>
#include <memory>

#include "common/core/case.hpp"
#include "common/profile/profile.hpp"

namespace scalemark::torch_support {

/// Watches this rank's GPU where axis `profile` is true, and does nothing where it is false.
class CaseProfile {
 public:
  /// Collective. Skips the case where it asks for a profile that this machine cannot record.
  explicit CaseProfile(Case& c);
  /// start() and stop() may be called repeatedly; activity between the two is recorded.
  void start();
  void stop();
  /// Collective. Records the metrics, or fact profile_problem where a rank could not record all of
  /// its training. `whole`: the training started in this run.
  void record(bool whole);

 private:
  Case& c_;
  std::unique_ptr<profile::Profile> profile_;
};

/// Collective. Records the metrics of this rank's `totals`. `time_X` is the sum of the durations of
/// X, as in Nsight Systems, on the rank with the largest sum. `share_X` is the share of
/// profile_time that the union of these intervals covers: mean over ranks, at most 1. Bytes and
/// counts are summed over ranks.
void record_activity(Case& c, const profile::ActivityTotals& totals);

}  // namespace scalemark::torch_support
