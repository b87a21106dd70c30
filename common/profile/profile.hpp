// SPDX-License-Identifier: Apache-2.0
// Counts what the GPUs of this process do: copies, kernels, calls of the CUDA runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/profile/activity.hpp"

namespace scalemark::profile {

/// Watches between start() and stop(), as often as wished. Watching costs time with each call of
/// the runtime and each kernel. One profile watches at a time in a process.
class Profile {
 public:
  /// Ends watching without waiting for the GPU.
  virtual ~Profile() = default;
  /// Throws Error if another profile is watching.
  virtual void start() = 0;
  /// Waits for the thread's current GPU (what others have under way counts as incomplete), then
  /// until all is counted. Does nothing unless started.
  virtual void stop() = 0;
  /// Since the profile was made.
  virtual ActivityTotals totals() const = 0;
  /// Why nothing is counted, or not all: no permission, another profiler at work. Empty if all is
  /// well. A profile with a problem never throws for it; start() then does nothing.
  virtual std::string problem() const = 0;
  /// Records that CUPTI lost because no memory for them was at hand.
  virtual std::uint64_t lost() const = 0;
};

/// Empty if GPUs can be watched by this build on this machine, else why not.
std::string why_not();

/// Throws Unavailable with why_not().
std::unique_ptr<Profile> make_profile();

}  // namespace scalemark::profile
