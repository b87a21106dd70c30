// SPDX-License-Identifier: Apache-2.0
// Texts of errors and the version of the loaded library.
#include "common/collective/nccl_calls.hpp"

#include <fmt/format.h>

namespace scalemark::collective {

std::string describe_nccl(ncclResult_t code, ncclComm_t comm) {
  return fmt::format("NCCL: {} ({})", ncclGetErrorString(code), ncclGetLastError(comm));
}

int loaded_nccl_version() {
  int version = 0;
  return ncclGetVersion(&version) == ncclSuccess ? version : 0;
}

}  // namespace scalemark::collective
