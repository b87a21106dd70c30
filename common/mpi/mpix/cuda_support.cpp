// SPDX-License-Identifier: Apache-2.0
// The question as an extension of Open MPI and its relatives.
#include "common/mpi/cuda_support.hpp"

#include <mpi-ext.h>
#include <mpi.h>

namespace scalemark::mpi {

CudaSupport cuda_support() {
  return MPIX_Query_cuda_support() != 0 ? CudaSupport::yes : CudaSupport::no;
}

}  // namespace scalemark::mpi
