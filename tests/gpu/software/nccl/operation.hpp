// SPDX-License-Identifier: Apache-2.0
// One call of NCCL, and what ranks tell each other of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <nccl.h>

namespace scalemark::software_nccl {

enum class Routine : int {
  allreduce = 1,
  reduce,
  reduce_scatter,
  allgather,
  broadcast,
  send,
  recv
};

struct Operation {
  Routine routine = Routine::allreduce;
  const void* in = nullptr;
  void* out = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclInt8;
  ncclRedOp_t op = ncclSum;
  int root = 0;  ///< or the peer of a message

  bool is_message() const { return routine == Routine::send || routine == Routine::recv; }
};

/// Goes ahead of the data of each operation. Those of both sides have to agree.
struct Header {
  int routine = 0, type = 0, op = 0, root = 0;
  std::uint64_t count = 0;

  bool operator==(const Header&) const = default;
};

/// What both sides of the operation tell. Of a message: that it is one, not to whom.
Header header_of(const Operation& operation);

/// "allreduce of 4 elements, type 7, op 0, root 0"
std::string text_of(const Header& header);

}  // namespace scalemark::software_nccl
