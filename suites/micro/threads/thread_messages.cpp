// SPDX-License-Identifier: Apache-2.0
// Binds the steps of a thread to MPI's calls, and fills and checks their buffers.
#include "suites/micro/threads/thread_messages.hpp"

#include <algorithm>

#include "suites/micro/data/known_data.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::DType;
using collective::Transfer;

}  // namespace

std::function<void(Benchmark&)> thread_message_axes(std::uint64_t buffers) {
  return [buffers](Benchmark& benchmark) {
    benchmark.with(thread_axes)
        .axis_integer("bytes", {.minimum = 0,
                                .maximum = std::int64_t{1} << 30,
                                .defaults = "8:4M:*8",
                                .quick = "8,64K"})
        .memory([buffers](const Point& p) {
          return buffers * bytes_of(p) * static_cast<std::uint64_t>(p.integer("threads"));
        });
  };
}

ThreadMessages::ThreadMessages(Case& c, std::size_t bytes, const std::vector<MessageStep>& steps)
    : c_(c),
      bytes_(bytes),
      communicator_(collective::make_mpi_communicator(c.ranks(), c.hardware().host())),
      out_(c.alloc(std::max<std::size_t>(bytes, 1))) {
  for (const MessageStep& step : steps) steps_.push_back(prepare(step));
}

std::unique_ptr<collective::Operation> ThreadMessages::prepare(const MessageStep& step) {
  std::vector<Transfer> transfers;
  for (const ThreadMessage& one : step) {
    const std::size_t bytes = one.is_reply ? 1 : bytes_;
    void* data = out_.data();
    if (one.direction == Transfer::Direction::receive) {
      inboxes_.push_back({c_.alloc(bytes), one.peer, one.is_reply});
      data = inboxes_.back().buffer.data();
    }
    for (int i = 0; i < one.times; ++i) transfers.push_back({one.direction, data, bytes, one.peer});
  }
  return communicator_->prepare(transfers, DType::int8, collective::Mode::blocking, &c_.stream());
}

void ThreadMessages::fill(int round) {
  micro::fill(c_, out_.data(), 0, bytes_of_round(c_, round), DType::int8, bytes_, c_.rank());
}

Case::Checked ThreadMessages::check(int round) {
  Case::Checked all;
  for (Inbox& inbox : inboxes_)
    if (!inbox.is_reply)
      all += micro::check(c_, inbox.buffer.data(), 0, bytes_of_round(c_, round), DType::int8,
                          {0, bytes_, inbox.sender, 0});
  return all;
}

}  // namespace scalemark::micro
