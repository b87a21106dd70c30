// SPDX-License-Identifier: Apache-2.0
// Large arrays in pieces: MPI 3 counts are ints, and libraries multiply them by the number of
// ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Elements (8 bytes at most) that all ranks together move in one call of the harness: 64 MiB.
inline constexpr std::size_t kSlabElements = std::size_t{1} << 23;

/// Calls `call(offset, count)` for pieces of at most `slab` elements until `total` is covered.
template <typename Call>
void for_each_slab(std::size_t total, std::size_t slab, Call call) {
  for (std::size_t offset = 0; offset < total; offset += slab) {
    call(offset, static_cast<int>(std::min(slab, total - offset)));
  }
}

/// Collective. Gathers `values` (equal length on all ranks) to rank 0 as [rank][i], at most `slab`
/// elements of each rank at a time; empty elsewhere. Rank 0 needs the result, and a slab beside it.
template <typename T>
std::vector<T> gather_in_slabs(const Comm& comm, std::span<const T> values, MPI_Datatype type,
                               std::size_t slab) {
  std::vector<T> all;
  if (comm.rank() == 0) all.resize(values.size() * static_cast<std::size_t>(comm.size()));
  for_each_slab(values.size(), slab, [&](std::size_t offset, int count) {
    // One piece as a type whose extent is a whole row, so that it lands in its rank's row.
    MPI_Datatype piece = MPI_DATATYPE_NULL, row = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(count, type, &piece));
    check(
        MPI_Type_create_resized(piece, 0, static_cast<MPI_Aint>(values.size() * sizeof(T)), &row));
    check(MPI_Type_free(&piece));
    check(MPI_Type_commit(&row));
    T* target = all.empty() ? nullptr : all.data() + offset;
    const int code = MPI_Gather(values.data() + offset, count, type, target, 1, row, 0, comm.get());
    check(MPI_Type_free(&row));
    check(code);
  });
  return all;
}

}  // namespace scalemark::mpi
