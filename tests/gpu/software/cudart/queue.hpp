// SPDX-License-Identifier: Apache-2.0
// A queue of work with a thread of its own: what a stream is on a GPU.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace scalemark::software_gpu {

class Queue;

/// A piece of work in a queue; everything before it in that queue is meant, too.
struct Marker {
  std::shared_ptr<Queue> queue;  ///< null: nothing to wait for
  std::uint64_t number = 0;

  bool is_done() const;
  void wait() const;
};

class Queue : public std::enable_shared_from_this<Queue> {
 public:
  /// Starts the thread. `before_each` runs before each piece of work, in that thread.
  static std::shared_ptr<Queue> start(std::function<void()> before_each);

  /// Appends work that begins when all of `after` is done. Work must not throw.
  Marker push(std::function<void()> work, std::vector<Marker> after);
  /// The last piece of work so far.
  Marker last();
  /// Blocks while `limit` pieces of work are not done, as a driver with a full launch queue does.
  void wait_for_space(std::uint64_t limit);
  /// The thread ends when all work is done. Nothing is appended afterwards.
  void close();

 private:
  friend struct Marker;
  struct Entry {
    std::function<void()> work;
    std::vector<Marker> after;
  };
  void run(const std::function<void()>& before_each);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> waiting_;
  std::uint64_t pushed_ = 0, done_ = 0;
  bool closed_ = false;
};

}  // namespace scalemark::software_gpu
