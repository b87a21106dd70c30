// SPDX-License-Identifier: Apache-2.0
// Built with an NCCL older than its device API (2.28).
#include "common/base/error.hpp"
#include "common/collective/device_api/nccl_kernels.hpp"

namespace scalemark::collective {

std::unique_ptr<NcclKernels> make_nccl_kernels(ncclComm_t, DeviceApi) {
  throw Unavailable("NCCL has a device API from version 2.28 on; this was built with an older one");
}

}  // namespace scalemark::collective
