// SPDX-License-Identifier: Apache-2.0
// What all sources that call NCCL need.
#pragma once

#include <string>

#include <nccl.h>

namespace scalemark::collective {

/// "NCCL: unhandled cuda error (what NCCL says of the last one)".
std::string describe_nccl(ncclResult_t code, ncclComm_t comm);

/// 22809 is 2.28.9; 0 if NCCL does not tell.
int loaded_nccl_version();

}  // namespace scalemark::collective
