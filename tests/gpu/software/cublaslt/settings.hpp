// SPDX-License-Identifier: Apache-2.0
// What the environment asks of cuBLASLt. tests/gpu/software/run.sh --help lists all.
#pragma once

#include <cstdint>

namespace scalemark::software_cublaslt {

struct Settings {
  bool has_fp4 = false;            ///< SOFTWARE_GPU_COMPUTE_CAPABILITY of 10 or more
  bool no_fp8 = false;             ///< SOFTWARE_GPU_NO_FP8: as GPUs before compute capability 8.9
  std::uint64_t fail_product = 0;  ///< SOFTWARE_GPU_FAIL_PRODUCT: the N-th one; 0 for none
  std::uint64_t bad_algorithms =
      0;  ///< SOFTWARE_GPU_BAD_ALGORITHMS: the first N offered do not run
};

/// Read once. A value that is not understood ends the process with a message.
const Settings& settings();

}  // namespace scalemark::software_cublaslt
