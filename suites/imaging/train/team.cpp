// SPDX-License-Identifier: Apache-2.0
// Persistent threads that run the same work for each replica.
#include "suites/imaging/train/team.hpp"

#include <utility>

#include <ATen/Parallel.h>

#include "common/hardware/placement/bind.hpp"

namespace scalemark::imaging {

Team::Team(int size, int compute_threads, std::vector<hardware::CpuSet> cpus)
    : cpus_(std::move(cpus)), failures_(static_cast<std::size_t>(size)) {
  for (int member = 1; member < size; ++member) {
    threads_.emplace_back([this, member, compute_threads] {
      serve(static_cast<std::size_t>(member), compute_threads);
    });
  }
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::serve(std::size_t member, int compute_threads) {
  if (member <= cpus_.size()) hardware::bind_thread(cpus_[member - 1]);
  at::set_num_threads(compute_threads);  // its threads inherit the CPU binding
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ending_ || round_ != seen; });
    if (ending_) return;
    seen = round_;
    if (member >= count_) continue;
    const auto* work = work_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*work)(member);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failures_[member] = failure;
    if (--running_ == 0) changed_.notify_all();
  }
}

void Team::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  {
    const std::lock_guard lock(mutex_);
    failures_.assign(failures_.size(), nullptr);
    work_ = &work;
    count_ = count;
    running_ = count > 0 ? count - 1 : 0;
    ++round_;
  }
  changed_.notify_all();
  std::exception_ptr mine;
  try {
    if (count > 0) work(0);
  } catch (...) {
    mine = std::current_exception();
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ == 0; });
  if (mine) std::rethrow_exception(mine);
  for (const std::exception_ptr& failure : failures_) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace scalemark::imaging
