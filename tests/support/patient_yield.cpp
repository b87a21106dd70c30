// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: a rank that has waited in Open MPI for a millisecond sleeps between its looks.
// Ranks that wait for one that hangs, as tests of faults have them, then leave the cores to other
// tests. Open MPI calls sched_yield() between two looks (OMPI_MCA_mpi_yield_when_idle).
#include <chrono>
#include <thread>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

// A caller that was away for longer than this did something in between.
constexpr std::chrono::microseconds kOneWait{100};
constexpr std::chrono::milliseconds kLooking{1};
constexpr std::chrono::microseconds kSleep{100};

/// When this thread last came back from here, and since when it has done nothing but wait.
thread_local Clock::time_point last_return;
thread_local Clock::time_point waits_since;

}  // namespace

extern "C" int sched_yield() noexcept {
  const Clock::time_point called = Clock::now();
  if (called - last_return > kOneWait) waits_since = called;
  int result = 0;
  if (called - waits_since < kLooking)
    result = static_cast<int>(syscall(SYS_sched_yield));
  else
    std::this_thread::sleep_for(kSleep);
  last_return = Clock::now();
  return result;
}
