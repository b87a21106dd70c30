// SPDX-License-Identifier: Apache-2.0
// CUDA support, asked through an extension of Open MPI and related libraries.
#include "common/mpi/cuda_support.hpp"

#include <mpi.h>

// Must follow mpi.h, whose macros it uses.
#include <mpi-ext.h>

namespace scalemark::mpi {

CudaSupport cuda_support() {
  return MPIX_Query_cuda_support() != 0 ? CudaSupport::yes : CudaSupport::no;
}

}  // namespace scalemark::mpi
