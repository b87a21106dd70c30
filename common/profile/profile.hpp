// SPDX-License-Identifier: Apache-2.0
// Profiles the GPUs of this process: copies, kernels, calls of the CUDA runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/profile/activity.hpp"

namespace scalemark::profile {

/// Records activity between start() and stop(), any number of times. Profiling slows down each
/// runtime call and each kernel. Only one profile of a process can be active at a time.
class Profile {
 public:
  /// Stops profiling without waiting for the GPU.
  virtual ~Profile() = default;
  /// Throws Error if another profile is active.
  virtual void start() = 0;
  /// Waits for the thread's current GPU, and until all its records are counted. Work still running
  /// on other GPUs counts as incomplete. Does nothing unless started.
  virtual void stop() = 0;
  /// Totals since the profile was created.
  virtual ActivityTotals totals() const = 0;
  /// Why nothing, or not everything, is counted: no permission, or another profiler is active.
  /// Empty if all is well. A problem never makes a member throw; start() then does nothing.
  virtual std::string problem() const = 0;
  /// Number of records that CUPTI lost for lack of buffers.
  virtual std::uint64_t lost() const = 0;
};

/// Empty if this build can profile GPUs on this machine, otherwise the reason.
std::string why_not();

/// Throws Unavailable with the text of why_not().
std::unique_ptr<Profile> make_profile();

}  // namespace scalemark::profile
