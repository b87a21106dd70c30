// SPDX-License-Identifier: Apache-2.0
// Threads of a rank that communicate at once, each over a communicator of its own.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/memory/host_team.hpp"

namespace scalemark::micro {

/// What one thread does over and over, and the data that prove it.
class ThreadWork {
 public:
  virtual ~ThreadWork() = default;
  ThreadWork() = default;
  ThreadWork(const ThreadWork&) = delete;
  ThreadWork& operator=(const ThreadWork&) = delete;

  /// Once. Called on the thread.
  virtual void run() = 0;
  /// Called on the rank's main thread while no other runs: writes the data of a round, and checks
  /// what the last run() brought.
  virtual void fill(int round) = 0;
  virtual Case::Checked check(int round) = 0;
};

/// Declares axes `memory` (host) and `threads`.
void thread_axes(Benchmark& benchmark);

/// The threads of this rank with their work.
class ThreadedRank {
 public:
  using MakeWork = std::function<std::unique_ptr<ThreadWork>(int thread)>;

  /// Collective. Axis `threads`; `make` is called for each, on the main thread. Skips the case
  /// where MPI lets only one thread call it at a time.
  ThreadedRank(Case& c, const MakeWork& make);

  /// Collective. Lets the case verify the data of all threads, `bytes` each.
  void verify(const std::string& rule, std::uint64_t bytes);
  /// ns in which each thread does its work `times` times. Throws what a thread threw.
  std::uint64_t run(std::uint64_t times);
  int threads() const { return static_cast<int>(works_.size()); }

 private:
  Case& c_;
  std::vector<std::unique_ptr<ThreadWork>> works_;
  std::vector<std::exception_ptr> failures_;  ///< one a thread
  HostTeam team_;
};

}  // namespace scalemark::micro
