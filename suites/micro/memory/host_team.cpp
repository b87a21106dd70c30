// SPDX-License-Identifier: Apache-2.0
// Threads that spin for the next round, then sleep.
#include "suites/micro/memory/host_team.hpp"

#include <utility>

#include <sched.h>

#include "common/hardware/placement/bind.hpp"

namespace scalemark::micro {
namespace {

/// Polls before a member sleeps: some tens of microseconds. Members stay awake between two samples,
/// but sleep while their rank waits for another.
constexpr int kLooks = 20'000;

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Polls until `done`. Yields after a while: with more members than cores, the awaited thread needs
/// the core.
template <typename Done>
void look_until(Done done) {
  for (int look = 0; !done(); ++look) {
    if (look < kLooks)
      pause_core();
    else
      std::this_thread::yield();
  }
}

hardware::CpuSet own_cpus() {
  cpu_set_t set;
  hardware::CpuSet cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

HostTeam::HostTeam(int size, std::vector<hardware::CpuSet> cpus)
    : size_(size), cpus_(std::move(cpus)) {
  if (!cpus_.empty()) {
    before_ = own_cpus();
    if (!hardware::bind_thread(cpus_.front())) ++unbound_;
  }
  for (int member = 1; member < size; ++member)
    threads_.emplace_back([this, member] { serve(member); });
  run([](int) {});  // waits until all threads are started and bound
}

HostTeam::~HostTeam() {
  ending_ = true;
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  if (!before_.empty()) hardware::bind_thread(before_);
}

void HostTeam::serve(int member) {
  const auto index = static_cast<std::size_t>(member);
  if (index < cpus_.size() && !hardware::bind_thread(cpus_[index])) ++unbound_;
  for (std::uint32_t seen = 0;; ++seen) {
    for (int look = 0; round_.load(std::memory_order_acquire) == seen; ++look) {
      if (look < kLooks)
        pause_core();
      else
        round_.wait(seen);
    }
    if (ending_) return;
    repeat(member);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

void HostTeam::barrier() {
  if (size_ == 1) return;
  const std::uint32_t generation = generation_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {
    arrived_.store(0, std::memory_order_relaxed);
    generation_.store(generation + 1, std::memory_order_release);
    return;
  }
  look_until([&] { return generation_.load(std::memory_order_acquire) != generation; });
}

void HostTeam::repeat(int member) {
  for (std::uint64_t i = 0; i < times_; ++i) {
    if (i > 0) barrier();
    (*work_)(member);
  }
}

void HostTeam::run(const std::function<void(int)>& work, std::uint64_t times) {
  work_ = &work;
  times_ = times;
  if (threads_.empty()) return repeat(0);
  running_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  repeat(0);
  look_until([&] { return running_.load(std::memory_order_acquire) == 0; });
}

}  // namespace scalemark::micro
