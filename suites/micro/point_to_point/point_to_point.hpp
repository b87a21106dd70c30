// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of messages between two ranks share.
#pragma once

#include <functional>
#include <memory>

#include "common/collective/communicator.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Axes of every point-to-point benchmark: backend, memory, bytes and call.
std::function<void(Benchmark&)> message_axes(const std::string& default_bytes,
                                             const std::string& usual_call);

/// Buffers of this rank's messages, and the operations on them.
class Messages {
 public:
  /// Collective. `windows`: messages of a set, which share `buffers` buffers in turn.
  Messages(Case& c, std::size_t bytes, std::size_t window, std::size_t buffers);

  /// One message to or from `peer`, or a window of them; both: receives and sends together.
  std::unique_ptr<collective::Operation> send(int peer);
  std::unique_ptr<collective::Operation> receive(int peer);
  std::unique_ptr<collective::Operation> both(int to, int from);
  /// Of one byte, which says that a window has arrived.
  std::unique_ptr<collective::Operation> send_reply(int peer);
  std::unique_ptr<collective::Operation> receive_reply(int peer);

  static constexpr const char* kRule =
      "every byte of the received messages against the sender's pattern";
  /// Puts the data of a round in place, and looks at what came from `sender`, if it is a rank.
  void fill(int round);
  Case::Checked check(int sender, int round);
  /// Has the case verify several rounds of what this rank gets from `sender`; -1: from none.
  void verify_from(int sender);

 private:
  void add(std::vector<collective::Transfer>& transfers, collective::Transfer::Direction direction,
           int peer) const;
  std::unique_ptr<collective::Operation> prepare(std::span<const collective::Transfer> transfers);

  Case& c_;
  collective::Communicator& comm_;
  collective::Mode mode_;
  std::size_t bytes_, window_, buffers_;
  device::Buffer out_, in_, reply_out_, reply_in_;
};

}  // namespace scalemark::micro
