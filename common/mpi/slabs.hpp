// SPDX-License-Identifier: Apache-2.0
// Splits large arrays into slabs: counts of MPI 3 are ints, and libraries multiply them by the
// number of ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Number of elements (at most 8 bytes each) that all ranks together move in one call: 64 MiB.
inline constexpr std::size_t kSlabElements = std::size_t{1} << 23;

/// Calls `call(offset, count)` for consecutive pieces of at most `slab` elements, up to `total`.
template <typename Call>
void for_each_slab(std::size_t total, std::size_t slab, Call call) {
  for (std::size_t offset = 0; offset < total; offset += slab) {
    call(offset, static_cast<int>(std::min(slab, total - offset)));
  }
}

/// Collective. Gathers `values` (same length on all ranks) to rank 0 as [rank][i]; empty on the
/// others. Moves at most `slab` elements per rank at a time: besides the result, rank 0 needs
/// memory for one slab.
template <typename T>
std::vector<T> gather_in_slabs(const Comm& comm, std::span<const T> values, MPI_Datatype type,
                               std::size_t slab) {
  std::vector<T> all;
  if (comm.rank() == 0) all.resize(values.size() * static_cast<std::size_t>(comm.size()));
  for_each_slab(values.size(), slab, [&](std::size_t offset, int count) {
    // A piece as an MPI type whose extent is a whole row, so that each rank's piece lands in its
    // row.
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
