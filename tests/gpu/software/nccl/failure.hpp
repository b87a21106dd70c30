// SPDX-License-Identifier: Apache-2.0
// Errors of NCCL: how they leave a function, and what ncclGetLastError() tells of them.
#pragma once

#include <string>

#include <nccl.h>

namespace scalemark::software_nccl {

/// Leaves an entry point, or work in a stream, with a code of NCCL.
struct Failure {
  ncclResult_t code;
  std::string text;
};

inline void require(bool condition, ncclResult_t otherwise, const char* text) {
  if (!condition) throw Failure{otherwise, text};
}

/// Prints the text as NCCL_DEBUG=WARN does and keeps it for ncclGetLastError().
void warn(int rank, const std::string& text);

/// The text of the last warning of this process.
const char* last_warning();

}  // namespace scalemark::software_nccl
