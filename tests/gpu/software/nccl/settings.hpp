// SPDX-License-Identifier: Apache-2.0
// What the environment asks of NCCL. tests/gpu/software/run.sh --help lists all.
#pragma once

#include <cstdint>

#include <nccl.h>

namespace scalemark::software_nccl {

struct Settings {
  int version = NCCL_VERSION_CODE;  ///< SOFTWARE_GPU_NCCL_VERSION
  std::uint64_t symmetric = 1;      ///< SOFTWARE_GPU_NCCL_SYMMETRIC
  std::uint64_t reach = 0;          ///< SOFTWARE_GPU_NCCL_REACH; 0: all ranks
  std::uint64_t timeout_s = 60;     ///< SOFTWARE_GPU_NCCL_TIMEOUT
  std::uint64_t fail_call = 0;      ///< SOFTWARE_GPU_NCCL_FAIL_CALL=N[:CODE]; 0 for none
  ncclResult_t call_code = ncclSystemError;
  std::uint64_t fail_work = 0;  ///< SOFTWARE_GPU_NCCL_FAIL_WORK=N[:CODE]; 0 for none
  ncclResult_t work_code = ncclRemoteError;
};

/// Read once. A value that is not understood ends the process with a message.
const Settings& settings();

/// A random wait of this thread if SOFTWARE_GPU_DELAYS asks for it; `rank` shifts the seed.
void delay(int rank);

}  // namespace scalemark::software_nccl
