// SPDX-License-Identifier: Apache-2.0
// CUDA support for MPI libraries that cannot be asked: unknown.
#include "common/mpi/cuda_support.hpp"

namespace scalemark::mpi {

CudaSupport cuda_support() { return CudaSupport::unknown; }

}  // namespace scalemark::mpi
