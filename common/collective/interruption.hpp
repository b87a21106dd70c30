// SPDX-License-Identifier: Apache-2.0
// Ends from another thread what a rank waits for inside a library.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "common/base/error.hpp"

namespace scalemark::collective {

/// Thrown where a wait ended because another rank failed. That rank knows the reason.
struct Interrupted {};

/// Stands between the calls of a thread into a library and another thread that aborts them.
class Interruption {
 public:
  /// Runs `call`, which does not wait for other ranks. Throws as throw_if_interrupted(), also while
  /// the abort still runs: NCCL's waits until this thread has destroyed its graphs.
  template <typename Call>
  void guard(Call&& call) {
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock()) {
      throw_if_interrupted();
      std::this_thread::yield();
    }
    throw_if_interrupted();
    std::forward<Call>(call)();
  }

  /// After an interruption: Error with its text, Interrupted if it has none. A few ns otherwise.
  void throw_if_interrupted() const {
    if (!is_interrupted()) [[likely]]
      return;
    if (error_.empty()) throw Interrupted{};
    throw Error(error_);
  }
  bool is_interrupted() const { return interrupted_.load(std::memory_order_acquire); }

  /// From the other thread: runs `abort`, once, which ends what guarded calls have started. False
  /// while a guarded call runs: try again later.
  template <typename Abort>
  bool interrupt(std::string error, Abort&& abort) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    if (is_interrupted()) return true;
    error_ = std::move(error);
    // First the mark: whoever leaves its wait must see it.
    interrupted_.store(true, std::memory_order_release);
    std::forward<Abort>(abort)();
    return true;
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> interrupted_ = false;
  std::string error_;  ///< written before the mark
};

}  // namespace scalemark::collective
