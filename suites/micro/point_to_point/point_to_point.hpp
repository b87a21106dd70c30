// SPDX-License-Identifier: Apache-2.0
// Common parts of the benchmarks of messages between two ranks.
#pragma once

#include <functional>
#include <memory>

#include "common/collective/communicator.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Declares the axes of every point-to-point benchmark: backend, span, memory, bytes and call.
std::function<void(Benchmark&)> message_axes(const std::string& default_bytes,
                                             const std::string& usual_call);

/// Buffers for this rank's messages, and the operations on them.
class Messages {
 public:
  /// Collective. `window`: messages per operation, which use `buffers` buffers in turn.
  Messages(Case& c, std::size_t bytes, std::size_t window, std::size_t buffers);

  /// A window of messages to or from `peer`; both: receives and sends together.
  std::unique_ptr<collective::Operation> send(int peer);
  std::unique_ptr<collective::Operation> receive(int peer);
  std::unique_ptr<collective::Operation> both(int to, int from);
  /// A one-byte reply: the window has arrived.
  std::unique_ptr<collective::Operation> send_reply(int peer);
  std::unique_ptr<collective::Operation> receive_reply(int peer);

  static constexpr const char* kRule =
      "every byte of the received messages against the sender's pattern";
  /// fill() writes the data of a round; check() checks what arrived from `sender` (-1: nothing).
  void fill(int round);
  Case::Checked check(int sender, int round);
  /// Lets the case verify several rounds of data received from `sender`; -1: none.
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
