// SPDX-License-Identifier: Apache-2.0
// Persistent threads that run the same work for each replica of a model.
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

/// `size` members; the caller is the first. Each has its own LibTorch compute threads.
class Team {
 public:
  /// `cpus`: CPUs of the second, third, ... member and its compute threads. Members without a set,
  /// or with one that the system rejects, keep the caller's CPUs.
  Team(int size, int compute_threads, std::vector<hardware::CpuSet> cpus = {});
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Runs work(0) .. work(count - 1), each on its own member; count <= size. Waits for all, then
  /// throws the exception of the lowest member that failed.
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
