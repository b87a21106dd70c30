// SPDX-License-Identifier: Apache-2.0
// Describes operations.
#include "tests/gpu/software/nccl/operation.hpp"

namespace scalemark::software_nccl {

Header header_of(const Operation& operation) {
  if (operation.is_message())
    return {static_cast<int>(Routine::send), operation.type, 0, 0, operation.count};
  return {static_cast<int>(operation.routine), operation.type, operation.op, operation.root,
          operation.count};
}

std::string text_of(const Header& header) {
  constexpr const char* kNames[] = {"?",         "allreduce", "reduce",  "reduce_scatter",
                                    "allgather", "broadcast", "message", "message"};
  const bool known = header.routine > 0 && header.routine <= static_cast<int>(Routine::recv);
  return std::string(kNames[known ? header.routine : 0]) + " of " + std::to_string(header.count) +
         " elements, type " + std::to_string(header.type) + ", op " + std::to_string(header.op) +
         ", root " + std::to_string(header.root);
}

}  // namespace scalemark::software_nccl
