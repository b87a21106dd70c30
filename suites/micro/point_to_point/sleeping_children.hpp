// SPDX-License-Identifier: Apache-2.0
// Child processes that sleep while their parent communicates, as those of OSU's osu_latency_mp.
#pragma once

#include <memory>
#include <vector>

#include <sys/types.h>

#include "common/base/descriptor.hpp"

namespace scalemark::micro {

/// Forked copies of this process that only wait for its end, or for that of this object. They share
/// all of its memory until it writes, so that each page costs a copy; a library that registered
/// memory with a network card has to cope with that.
class SleepingChildren {
 public:
  /// Throws Error if the system gives no further process.
  explicit SleepingChildren(int count);
  /// Ends them and waits for that.
  ~SleepingChildren();
  SleepingChildren(const SleepingChildren&) = delete;
  SleepingChildren& operator=(const SleepingChildren&) = delete;

 private:
  void fork_one(int waits_at);
  void end() noexcept;

  std::unique_ptr<Descriptor> alive_;  ///< closed at the end, which the children see
  std::vector<pid_t> children_;
};

}  // namespace scalemark::micro
