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
inline constexpr auto alltoallw = MPI_Alltoallw_init;
inline constexpr auto barrier = MPI_Barrier_init;
inline constexpr auto broadcast = MPI_Bcast_init;
inline constexpr auto gather = MPI_Gather_init;
inline constexpr auto gatherv = MPI_Gatherv_init;
inline constexpr auto neighbor_allgather = MPI_Neighbor_allgather_init;
inline constexpr auto neighbor_allgatherv = MPI_Neighbor_allgatherv_init;
inline constexpr auto neighbor_alltoall = MPI_Neighbor_alltoall_init;
inline constexpr auto neighbor_alltoallv = MPI_Neighbor_alltoallv_init;
inline constexpr auto neighbor_alltoallw = MPI_Neighbor_alltoallw_init;
inline constexpr auto reduce = MPI_Reduce_init;
inline constexpr auto reduce_scatter = MPI_Reduce_scatter_init;
inline constexpr auto reduce_scatter_block = MPI_Reduce_scatter_block_init;
inline constexpr auto scatter = MPI_Scatter_init;
inline constexpr auto scatterv = MPI_Scatterv_init;

}  // namespace scalemark::collective::persistent
