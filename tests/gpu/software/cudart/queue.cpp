// SPDX-License-Identifier: Apache-2.0
// Runs the work of a queue in order.
#include "tests/gpu/software/cudart/queue.hpp"

#include <thread>
#include <utility>

namespace scalemark::software_gpu {

bool Marker::is_done() const {
  if (!queue) return true;
  const std::lock_guard lock(queue->mutex_);
  return queue->done_ >= number;
}

void Marker::wait() const {
  if (!queue) return;
  std::unique_lock lock(queue->mutex_);
  queue->changed_.wait(lock, [this] { return queue->done_ >= number; });
}

std::shared_ptr<Queue> Queue::start(std::function<void()> before_each) {
  auto queue = std::make_shared<Queue>();
  // Detached: a process may end while a kernel still runs, as on a GPU.
  std::thread([queue, before = std::move(before_each)] { queue->run(before); }).detach();
  return queue;
}

Marker Queue::push(std::function<void()> work, std::vector<Marker> after) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({std::move(work), std::move(after)});
  changed_.notify_all();
  return {shared_from_this(), ++pushed_};
}

Marker Queue::last() {
  const std::lock_guard lock(mutex_);
  return {shared_from_this(), pushed_};
}

void Queue::wait_for_space(std::uint64_t limit) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return pushed_ - done_ < limit; });
}

void Queue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void Queue::run(const std::function<void()>& before_each) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    for (const Marker& marker : entry.after) marker.wait();
    before_each();
    entry.work();
    entry = {};  // what the work owns ends before others learn that it is done
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

}  // namespace scalemark::software_gpu
