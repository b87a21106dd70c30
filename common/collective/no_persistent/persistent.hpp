// SPDX-License-Identifier: Apache-2.0
// Persistent collectives of an MPI that has none.
#pragma once

namespace scalemark::collective::persistent {

inline constexpr auto allgather = nullptr;
inline constexpr auto allgatherv = nullptr;
inline constexpr auto allreduce = nullptr;
inline constexpr auto alltoall = nullptr;
inline constexpr auto alltoallv = nullptr;
inline constexpr auto alltoallw = nullptr;
inline constexpr auto barrier = nullptr;
inline constexpr auto broadcast = nullptr;
inline constexpr auto gather = nullptr;
inline constexpr auto gatherv = nullptr;
inline constexpr auto neighbor_allgather = nullptr;
inline constexpr auto neighbor_allgatherv = nullptr;
inline constexpr auto neighbor_alltoall = nullptr;
inline constexpr auto neighbor_alltoallv = nullptr;
inline constexpr auto neighbor_alltoallw = nullptr;
inline constexpr auto reduce = nullptr;
inline constexpr auto reduce_scatter = nullptr;
inline constexpr auto reduce_scatter_block = nullptr;
inline constexpr auto scatter = nullptr;
inline constexpr auto scatterv = nullptr;

}  // namespace scalemark::collective::persistent
