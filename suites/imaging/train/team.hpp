// SPDX-License-Identifier: Apache-2.0
// Threads that stay, to run the same work for each replica of a model.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "common/hardware/machine.hpp"

namespace scalemark::imaging {

/// `size` members, of which the caller is the first. Each has its own LibTorch compute threads.
class Team {
 public:
  /// `cpus`: where the second, third, ... member and its compute threads run; members without a
  /// set, or with one that the system refuses, stay where the caller may run.
  Team(int size, int compute_threads, std::vector<hardware::CpuSet> cpus = {});
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Runs work(0) .. work(count - 1), each on a member of its own; count <= size. Waits for all,
  /// then throws the first exception of the lowest member.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t member, int compute_threads);

  std::vector<hardware::CpuSet> cpus_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0, running_ = 0;
  std::uint64_t round_ = 0;
  bool ending_ = false;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> threads_;
};

}  // namespace scalemark::imaging
