// SPDX-License-Identifier: Apache-2.0
// Binds the patterns of GPCNeT to messages and collectives of a group.
#include "suites/micro/collective/congestion_traffic.hpp"

#include "suites/micro/data/message_pattern.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::DType;
using collective::Transfer;

bool is_of_messages(const std::string& pattern) {
  return pattern == "ring" || pattern == "incast" || pattern == "broadcast";
}

/// Allreduces add fp32 numbers, alltoalls move bytes.
Call call_of_pattern(const std::string& pattern, std::size_t bytes) {
  Call call{.routine = collective::routine_from(pattern)};
  call.type = collective::reduces(call.routine) ? DType::fp32 : DType::int8;
  call.count = bytes / size_of(call.type);
  return call;
}

}  // namespace

const std::vector<std::string>& victim_patterns() {
  static const std::vector<std::string> kAll = {"ring", "allreduce", "alltoall"};
  return kAll;
}

const std::vector<std::string>& congestor_patterns() {
  static const std::vector<std::string> kAll = {
      "alltoall", "incast", "broadcast", "allreduce", "put_incast", "get_broadcast", "mixed"};
  return kAll;
}

std::vector<std::string> congestors_of(const std::string& congestor) {
  if (congestor == "mixed") return {"alltoall", "incast", "put_incast", "get_broadcast"};
  return {congestor};
}

bool is_one_sided(const std::string& pattern) {
  return pattern == "put_incast" || pattern == "get_broadcast";
}

GroupTraffic::GroupTraffic(Case& c, collective::Communicator& group, const std::string& pattern,
                           std::size_t bytes, SharedMemory memory)
    : c_(c), group_(group), bytes_(bytes) {
  if (is_one_sided(pattern)) {
    out_ = c.alloc(bytes);
    c.throw_if_peer_failed();
    operation_ = access_to(memory, pattern == "put_incast");
    return;
  }
  if (!is_of_messages(pattern)) {
    data_.emplace(c, group, call_of_pattern(pattern, bytes));
    c.throw_if_peer_failed();
    operation_ = group.prepare(data_->call());
    return;
  }
  const bool gathers = pattern == "incast" && group.rank() == 0;
  in_ = c.alloc(bytes * static_cast<std::size_t>(gathers ? group.size() : 1));
  out_ = c.alloc(bytes);
  c.throw_if_peer_failed();
  operation_ = group.prepare(transfers(pattern, bytes), DType::int8, collective::Mode::blocking,
                             &c.stream());
}

std::unique_ptr<collective::Operation> GroupTraffic::access_to(SharedMemory memory, bool puts) {
  using Kind = collective::Access::Kind;
  if (group_.rank() == 0) return memory.window->prepare({.kind = Kind::none});
  return memory.window->prepare(
      {.kind = puts ? Kind::put : Kind::get,
       .peer = memory.rank,
       .origin = out_.data(),
       .displacement = puts ? static_cast<std::size_t>(group_.rank()) * bytes_ : 0,
       .count = bytes_});
}

std::vector<Transfer> GroupTraffic::transfers(const std::string& pattern, std::size_t bytes) const {
  using Direction = Transfer::Direction;
  const int rank = group_.rank(), size = group_.size();
  const auto receive = [&](int from, std::size_t place) {
    return Transfer{Direction::receive, in_.as<char>() + place * bytes, bytes, from};
  };
  const auto send = [&](int to) { return Transfer{Direction::send, out_.data(), bytes, to}; };
  if (pattern == "ring") return {receive((rank + size - 1) % size, 0), send((rank + 1) % size)};
  if (rank != 0) return {pattern == "incast" ? send(0) : receive(0, 0)};
  std::vector<Transfer> all;
  for (int other = 1; other < size; ++other)
    all.push_back(pattern == "incast" ? receive(other, static_cast<std::size_t>(other))
                                      : send(other));
  return all;
}

void GroupTraffic::fill(int round) {
  if (data_) return data_->fill(round);
  micro::fill(c_, out_.data(), 0, bytes_of_round(c_, round), DType::int8, bytes_, group_.rank());
}

Case::Checked GroupTraffic::check(int round) {
  if (data_) return data_->check(round);
  const int before = (group_.rank() + group_.size() - 1) % group_.size();
  return micro::check(c_, in_.data(), 0, bytes_of_round(c_, round), DType::int8,
                      {0, bytes_, before, 0});
}

std::uint64_t traffic_bytes(const std::string& pattern, std::size_t bytes, int ranks) {
  if (is_one_sided(pattern)) return bytes * static_cast<std::size_t>(ranks + 1);
  if (!is_of_messages(pattern)) return buffer_bytes(call_of_pattern(pattern, bytes), false, ranks);
  return bytes * static_cast<std::size_t>(pattern == "incast" ? ranks + 1 : 2);
}

}  // namespace scalemark::micro
