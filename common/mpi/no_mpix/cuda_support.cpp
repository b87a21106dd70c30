// SPDX-License-Identifier: Apache-2.0
// An MPI library that cannot be asked.
#include "common/mpi/cuda_support.hpp"

namespace scalemark::mpi {

CudaSupport cuda_support() { return CudaSupport::unknown; }

}  // namespace scalemark::mpi
