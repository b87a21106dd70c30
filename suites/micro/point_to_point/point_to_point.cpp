// SPDX-License-Identifier: Apache-2.0
// Buffers, operations and verification of messages between two ranks.
#include "suites/micro/point_to_point/point_to_point.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/core/rank_group.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::DType;
using collective::Mode;
using collective::Operation;
using collective::Transfer;

}  // namespace

std::function<void(Benchmark&)> message_axes(const std::string& default_bytes,
                                             const std::string& usual_call) {
  return [=](Benchmark& b) {
    b.axis("backend", {.values = {"mpi", "nccl", "gloo", "c10d"}, .defaults = {"mpi", "nccl"}});
    b.axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"});
    b.axis("memory", {.values = {"host", "device"}});
    b.axis_integer("bytes", {.minimum = 0,
                             .maximum = std::int64_t{1} << 36,
                             .defaults = default_bytes,
                             .quick = "8,64K"});
    b.axis("call", {.values = {"blocking", "nonblocking", "persistent"},
                    .defaults = {usual_call},
                    .implied = usual_call});
    b.where([](const Point& p) {
      const bool persistent = p.text("call") == "persistent";
      return backend_suits_memory(p) && (!persistent || p.text("backend") == "mpi");
    });
    b.adjust_to_job(transfer_of(collective::DeviceUse::messages));
    b.memory([](const Point& p) {
      return 2 * static_cast<std::uint64_t>(p.integer("bytes") * p.integer("buffers", 1));
    });
  };
}

Messages::Messages(Case& c, std::size_t bytes, std::size_t window, std::size_t buffers)
    : c_(c),
      comm_(c.communicator()),
      mode_(collective::mode_from(c.text("call"))),
      bytes_(bytes),
      window_(window),
      buffers_(std::min(buffers, window)) {
  require_support(c, comm_, {.routine = collective::Routine::alltoall, .mode = mode_},
                  collective::DeviceUse::messages);
  out_ = c.alloc(bytes * buffers_);
  in_ = c.alloc(bytes * buffers_);
  reply_out_ = c.alloc(1);
  reply_in_ = c.alloc(1);
  c.throw_if_peer_failed();
}

void Messages::add(std::vector<Transfer>& transfers, Transfer::Direction direction,
                   int peer) const {
  const device::Buffer& buffer = direction == Transfer::Direction::send ? out_ : in_;
  for (std::size_t i = 0; i < window_; ++i) {
    transfers.push_back({direction, buffer.as<char>() + i % buffers_ * bytes_, bytes_, peer});
  }
}

std::unique_ptr<Operation> Messages::prepare(std::span<const Transfer> transfers) {
  return comm_.prepare(transfers, DType::int8, mode_, &c_.stream());
}

std::unique_ptr<Operation> Messages::send(int peer) {
  std::vector<Transfer> transfers;
  add(transfers, Transfer::Direction::send, peer);
  return prepare(transfers);
}

std::unique_ptr<Operation> Messages::receive(int peer) {
  std::vector<Transfer> transfers;
  add(transfers, Transfer::Direction::receive, peer);
  return prepare(transfers);
}

std::unique_ptr<Operation> Messages::both(int to, int from) {
  std::vector<Transfer> transfers;
  add(transfers, Transfer::Direction::receive, from);
  add(transfers, Transfer::Direction::send, to);
  return prepare(transfers);
}

std::unique_ptr<Operation> Messages::send_reply(int peer) {
  const Transfer reply{Transfer::Direction::send, reply_out_.data(), 1, peer};
  return comm_.prepare({&reply, 1}, DType::int8, Mode::blocking, &c_.stream());
}

std::unique_ptr<Operation> Messages::receive_reply(int peer) {
  const Transfer reply{Transfer::Direction::receive, reply_in_.data(), 1, peer};
  return comm_.prepare({&reply, 1}, DType::int8, Mode::blocking, &c_.stream());
}

void Messages::fill(int round) {
  const KnownData mine(c_.seed() + static_cast<std::uint64_t>(round), DType::int8);
  for (std::size_t i = 0; i < buffers_; ++i)
    micro::fill(c_, out_.data(), i * bytes_, mine, DType::int8, bytes_, c_.rank(), i);
}

Case::Checked Messages::check(int sender, int round) {
  Case::Checked all;
  if (sender < 0) return all;
  const KnownData theirs(c_.seed() + static_cast<std::uint64_t>(round), DType::int8);
  for (std::size_t i = 0; i < buffers_; ++i)
    all += micro::check(c_, in_.data(), i * bytes_, theirs, DType::int8, {0, bytes_, sender, i});
  return all;
}

void Messages::verify_from(int sender) {
  c_.verify(kRule, {.fill = [this](int round) { fill(round); },
                    .check = [this, sender](int round) { return check(sender, round); },
                    .count = verify_rounds(bytes_)});
}

}  // namespace scalemark::micro
