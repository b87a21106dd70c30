// SPDX-License-Identifier: Apache-2.0
// Persistent collectives of MPI-4.
#pragma once

#include <mpi.h>

namespace scalemark::collective::persistent {

inline constexpr auto allgather = MPI_Allgather_init;
inline constexpr auto allgatherv = MPI_Allgatherv_init;
inline constexpr auto allreduce = MPI_Allreduce_init;
inline constexpr auto alltoall = MPI_Alltoall_init;
inline constexpr auto alltoallv = MPI_Alltoallv_init;
inline constexpr auto barrier = MPI_Barrier_init;
inline constexpr auto broadcast = MPI_Bcast_init;
inline constexpr auto gather = MPI_Gather_init;
inline constexpr auto gatherv = MPI_Gatherv_init;
inline constexpr auto reduce = MPI_Reduce_init;
inline constexpr auto reduce_scatter = MPI_Reduce_scatter_init;
inline constexpr auto scatter = MPI_Scatter_init;
inline constexpr auto scatterv = MPI_Scatterv_init;

}  // namespace scalemark::collective::persistent
