// SPDX-License-Identifier: Apache-2.0
// Persistent collectives of an MPI that has none.
#pragma once

namespace scalemark::collective::persistent {

inline constexpr auto allgather = nullptr;
inline constexpr auto allgatherv = nullptr;
inline constexpr auto allreduce = nullptr;
inline constexpr auto alltoall = nullptr;
inline constexpr auto alltoallv = nullptr;
inline constexpr auto barrier = nullptr;
inline constexpr auto broadcast = nullptr;
inline constexpr auto gather = nullptr;
inline constexpr auto gatherv = nullptr;
inline constexpr auto reduce = nullptr;
inline constexpr auto reduce_scatter = nullptr;
inline constexpr auto scatter = nullptr;
inline constexpr auto scatterv = nullptr;

}  // namespace scalemark::collective::persistent
