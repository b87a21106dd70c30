// SPDX-License-Identifier: Apache-2.0
// Messages of one thread, in steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/collective/communicator.hpp"
#include "suites/micro/threads/thread_work.hpp"

namespace scalemark::micro {

/// Declares the axes of all threads, `bytes`, and the memory of so many buffers of a thread.
std::function<void(Benchmark&)> thread_message_axes(std::uint64_t buffers);

/// Messages between this rank's thread and that of the same number in another rank.
struct ThreadMessage {
  collective::Transfer::Direction direction = collective::Transfer::Direction::send;
  int peer = 0;
  int times = 1;
  bool is_reply = false;  ///< of one byte, which says that all have arrived
};
/// Messages that are under way together.
using MessageStep = std::vector<ThreadMessage>;

/// Runs its steps one after the other. All messages leave from one buffer; those of each entry
/// arrive in one of their own.
class ThreadMessages final : public ThreadWork {
 public:
  /// Collective. Messages have `bytes` bytes.
  ThreadMessages(Case& c, std::size_t bytes, const std::vector<MessageStep>& steps);

  void run() override {
    for (const auto& step : steps_) step->run();
  }
  void fill(int round) override;
  Case::Checked check(int round) override;

 private:
  std::unique_ptr<collective::Operation> prepare(const MessageStep& step);

  /// Where messages arrive.
  struct Inbox {
    device::Buffer buffer;
    int sender = 0;
    bool is_reply = false;
  };

  Case& c_;
  std::size_t bytes_;
  std::unique_ptr<collective::Communicator> communicator_;
  device::Buffer out_;
  std::vector<Inbox> inboxes_;
  std::vector<std::unique_ptr<collective::Operation>> steps_;
};

}  // namespace scalemark::micro
