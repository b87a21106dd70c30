// SPDX-License-Identifier: Apache-2.0
// Threads of a rank that work on memory together, each on its own core.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "common/hardware/machine.hpp"

namespace scalemark::micro {

/// `size` members; the caller is the first. Members spin on shared words for start and completion,
/// which takes well below a microsecond while all run. After some idle time the other members
/// sleep.
class HostTeam {
 public:
  /// `cpus`: CPUs of each member, including the caller (until destruction); empty: no binding.
  HostTeam(int size, std::vector<hardware::CpuSet> cpus);
  ~HostTeam();
  HostTeam(const HostTeam&) = delete;
  HostTeam& operator=(const HostTeam&) = delete;

  int size() const { return size_; }
  /// Number of members that could not be bound to their CPUs.
  int unbound() const { return unbound_.load(); }
  /// Runs work(0) .. work(size - 1), each on its own member, and returns when all are done. `work`
  /// must not throw. With `times`, repeats it that often with a barrier between repetitions, which
  /// costs less than separate calls.
  void run(const std::function<void(int member)>& work, std::uint64_t times = 1);

 private:
  void serve(int member);
  void repeat(int member);
  /// Barrier over all members.
  void barrier();

  int size_;
  std::vector<hardware::CpuSet> cpus_;
  hardware::CpuSet before_;  ///< the caller's CPUs before
  std::atomic<int> unbound_{0};
  /// On separate cache lines: all members read one while all write the other.
  alignas(64) std::atomic<std::uint32_t> round_{0};
  const std::function<void(int)>* work_ = nullptr;  ///< on the cache line of round_
  std::uint64_t times_ = 0;
  alignas(64) std::atomic<int> running_{0};
  std::atomic<bool> ending_{false};
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> generation_{0};
  std::vector<std::thread> threads_;
};

}  // namespace scalemark::micro
