// SPDX-License-Identifier: Apache-2.0
// Reads the settings of cuBLASLt from the environment.
#include "tests/gpu/software/cublaslt/settings.hpp"

#include "tests/gpu/software/environment.hpp"

namespace scalemark::software_cublaslt {

const Settings& settings() {
  static const Settings& read_once =
      *new Settings{.has_fp4 = software_gpu::number("SOFTWARE_GPU_COMPUTE_CAPABILITY", 9) >= 10,
                    .no_fp8 = software_gpu::is_on("SOFTWARE_GPU_NO_FP8"),
                    .fail_product = software_gpu::number("SOFTWARE_GPU_FAIL_PRODUCT", 0),
                    .bad_algorithms = software_gpu::number("SOFTWARE_GPU_BAD_ALGORITHMS", 0)};
  return read_once;
}

}  // namespace scalemark::software_cublaslt
