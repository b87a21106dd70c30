// SPDX-License-Identifier: Apache-2.0
// Collective routines as messages.
#include "common/collective/messages.hpp"

#include <string>

#include "common/base/error.hpp"

namespace scalemark::collective {
namespace {

/// Parts of a buffer, one for each rank, or the same for all.
class Parts {
 public:
  Parts(const void* base, std::size_t element_bytes)
      : base_(static_cast<char*>(const_cast<void*>(base))), element_bytes_(element_bytes) {}
  /// The next part, of `count` elements.
  char* next(std::size_t count) {
    char* begin = base_;
    base_ += count * element_bytes_;
    return begin;
  }

 private:
  char* base_;
  std::size_t element_bytes_;
};

/// What this rank sends to `peer`, and gets from it, in elements; and whether that is a part of
/// many.
struct Amounts {
  std::size_t sent = 0, received = 0;
};

Amounts amounts(const Call& call, int rank, int peer) {
  const auto mine = static_cast<std::size_t>(rank), other = static_cast<std::size_t>(peer);
  const bool is_root = rank == call.root, to_root = peer == call.root;
  switch (call.routine) {
    case Routine::gather:
      return {to_root ? call.count : 0, is_root ? call.count : 0};
    case Routine::gatherv:
      return {to_root ? call.from.at(mine) : 0, is_root ? call.from.at(other) : 0};
    case Routine::scatter:
      return {is_root ? call.count : 0, to_root ? call.count : 0};
    case Routine::scatterv:
      return {is_root ? call.to.at(other) : 0, to_root ? call.to.at(mine) : 0};
    case Routine::allgather:
    case Routine::alltoall:
      return {call.count, call.count};
    case Routine::allgatherv:
      return {call.from.at(mine), call.from.at(other)};
    case Routine::alltoallv:
      return {call.to.at(other), call.from.at(other)};
    default:
      throw Unavailable(std::string(to_string(call.routine)) + " is not made of messages");
  }
}

/// Whether every rank is sent a part of its own, or all the same.
bool sends_parts(Routine routine) {
  return routine == Routine::scatter || routine == Routine::scatterv || exchanges(routine);
}

}  // namespace

std::vector<Transfer> messages_of(const Call& call, int rank, int size) {
  std::vector<Transfer> messages;
  const std::size_t element = size_of(call.type);
  Parts in(call.in, element), out(call.out, element);
  for (int peer = 0; peer < size; ++peer) {
    const auto [sent, received] = amounts(call, rank, peer);
    char* from = in.next(sends_parts(call.routine) ? sent : 0);
    char* to = out.next(received);
    if (peer == rank && from == to) continue;
    if (received > 0) messages.push_back({Transfer::Direction::receive, to, received, peer});
    if (sent > 0) messages.push_back({Transfer::Direction::send, from, sent, peer});
  }
  return messages;
}

}  // namespace scalemark::collective
