// SPDX-License-Identifier: Apache-2.0
// Whether the MPI library reports support for CUDA device memory.
#pragma once

namespace scalemark::mpi {

/// In ascending order of rank: the minimum over all ranks is the answer for the job.
enum class CudaSupport { no, unknown, yes };

/// Result of MPIX_Query_cuda_support(); `unknown` if the library has no such function. It tells how
/// the library was built, not whether device memory really works. Call after MPI_Init.
CudaSupport cuda_support();

}  // namespace scalemark::mpi
