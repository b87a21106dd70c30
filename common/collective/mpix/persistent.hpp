// SPDX-License-Identifier: Apache-2.0
// Persistent collectives as Open MPI's extension has them (4.0 and later), before MPI-4.
#pragma once

#include <mpi.h>

// Behind mpi.h, whose macros it uses.
#include <mpi-ext.h>

namespace scalemark::collective::persistent {

inline constexpr auto allgather = MPIX_Allgather_init;
inline constexpr auto allgatherv = MPIX_Allgatherv_init;
inline constexpr auto allreduce = MPIX_Allreduce_init;
inline constexpr auto alltoall = MPIX_Alltoall_init;
inline constexpr auto alltoallv = MPIX_Alltoallv_init;
inline constexpr auto alltoallw = MPIX_Alltoallw_init;
inline constexpr auto barrier = MPIX_Barrier_init;
inline constexpr auto broadcast = MPIX_Bcast_init;
inline constexpr auto gather = MPIX_Gather_init;
inline constexpr auto gatherv = MPIX_Gatherv_init;
inline constexpr auto neighbor_allgather = MPIX_Neighbor_allgather_init;
inline constexpr auto neighbor_allgatherv = MPIX_Neighbor_allgatherv_init;
inline constexpr auto neighbor_alltoall = MPIX_Neighbor_alltoall_init;
inline constexpr auto neighbor_alltoallv = MPIX_Neighbor_alltoallv_init;
inline constexpr auto neighbor_alltoallw = MPIX_Neighbor_alltoallw_init;
inline constexpr auto reduce = MPIX_Reduce_init;
inline constexpr auto reduce_scatter = MPIX_Reduce_scatter_init;
inline constexpr auto reduce_scatter_block = MPIX_Reduce_scatter_block_init;
inline constexpr auto scatter = MPIX_Scatter_init;
inline constexpr auto scatterv = MPIX_Scatterv_init;

}  // namespace scalemark::collective::persistent
