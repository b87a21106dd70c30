// SPDX-License-Identifier: Apache-2.0
// What the MPI library says of itself: whether it takes device memory.
#pragma once

namespace scalemark::mpi {

/// In the order in which one rank's answer weighs more than another's.
enum class CudaSupport { no, unknown, yes };

/// What MPIX_Query_cuda_support answers this process; `unknown` where the library has no such
/// function. It says how the library was built: whether device memory really gets through is
/// another question. After MPI_Init.
CudaSupport cuda_support();

}  // namespace scalemark::mpi
