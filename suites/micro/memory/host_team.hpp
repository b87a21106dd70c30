// SPDX-License-Identifier: Apache-2.0
// Threads of a rank that work on memory together, each on a core of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "common/hardware/machine.hpp"

namespace scalemark::micro {

/// `size` members, of which the caller is the first. They are started and awaited by turning on
/// shared words, which takes well below a microsecond while all of them run; after some idle time
/// the others sleep.
class HostTeam {
 public:
  /// `cpus`: where each member runs, the caller too (until the team ends); empty: where it may.
  HostTeam(int size, std::vector<hardware::CpuSet> cpus);
  ~HostTeam();
  HostTeam(const HostTeam&) = delete;
  HostTeam& operator=(const HostTeam&) = delete;

  int size() const { return size_; }
  /// Members that the system did not let run where they were told to.
  int unbound() const { return unbound_.load(); }
  /// Runs work(0) .. work(size - 1), which must not throw, each on a member of its own, and returns
  /// when all are done. With `times` each does its work so often, and none begins anew before all
  /// are done: that costs less than as many calls.
  void run(const std::function<void(int member)>& work, std::uint64_t times = 1);

 private:
  void serve(int member);
  void repeat(int member);
  /// Returns when all members have called it.
  void meet();

  int size_;
  std::vector<hardware::CpuSet> cpus_;
  hardware::CpuSet before_;  ///< where the caller ran
  std::atomic<int> unbound_{0};
  /// Apart from each other, since one is read by all while the other is written by all.
  alignas(64) std::atomic<std::uint32_t> round_{0};
  const std::function<void(int)>* work_ = nullptr;  ///< comes with the round, in one line
  std::uint64_t times_ = 0;
  alignas(64) std::atomic<int> running_{0};
  std::atomic<bool> ending_{false};
  alignas(64) std::atomic<int> met_{0};
  alignas(64) std::atomic<std::uint32_t> meeting_{0};
  std::vector<std::thread> threads_;
};

}  // namespace scalemark::micro
