// SPDX-License-Identifier: Apache-2.0
// Keeps the last warning, as NCCL does: one for the process.
#include "tests/gpu/software/nccl/failure.hpp"

#include <cstdio>
#include <mutex>

namespace scalemark::software_nccl {
namespace {

char last[1024];
std::mutex& last_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

void warn(int rank, const std::string& text) {
  const std::lock_guard lock(last_mutex());
  std::snprintf(last, sizeof last, "%s", text.c_str());
  if (rank < 0)
    std::fprintf(stderr, "software NCCL: %s\n", last);
  else
    std::fprintf(stderr, "software NCCL, rank %d: %s\n", rank, last);
}

const char* last_warning() { return last; }

}  // namespace scalemark::software_nccl
