// SPDX-License-Identifier: Apache-2.0
// The question as an extension of Open MPI and its relatives.
#include "common/mpi/cuda_support.hpp"

#include <mpi.h>

// Behind mpi.h, whose macros it uses.
#include <mpi-ext.h>

namespace scalemark::mpi {

CudaSupport cuda_support() {
  return MPIX_Query_cuda_support() != 0 ? CudaSupport::yes : CudaSupport::no;
}

}  // namespace scalemark::mpi
