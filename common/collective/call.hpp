// SPDX-License-Identifier: Apache-2.0
// What a rank asks of a communicator: a routine, its data, and how it is called.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/collective/types.hpp"
#include "common/device/device.hpp"
#include "common/mpi/block_type.hpp"

namespace scalemark::collective {

/// Collective routines, by MPI's names. Those with a v have a count for each rank, those with a w
/// also a type (here the same one). Neighborhood routines exchange data with some ranks only.
enum class Routine {
  barrier,
  allreduce,
  allgather,
  allgatherv,
  reduce_scatter,
  broadcast,
  reduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce_scatter_block,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw
};
std::string_view to_string(Routine routine);
Routine routine_from(std::string_view text);  ///< Throws UsageError.

/// Whether the routine adds, or otherwise reduces.
bool reduces(Routine routine);
/// Whether each rank gets its part of the result.
bool scatters_sums(Routine routine);
/// Whether every rank has a part of its own for every other.
bool exchanges(Routine routine);
/// Whether ranks deal with their neighbors only.
bool is_neighborhood(Routine routine);
/// Whether one rank is different from the others.
bool has_root(Routine routine);

/// How a routine is called: it returns when it is done; it returns at once and is waited for; or
/// its arguments are bound once and it is started again and again (MPI-4's persistent operations).
/// `graph`: run once by prepare(), then recorded as a CUDA graph, which is launched.
enum class Mode { blocking, nonblocking, persistent, graph };
std::string_view to_string(Mode mode);
Mode mode_from(std::string_view text);  ///< Throws UsageError.

/// Who moves the data of a call: the library; kernels of ours that load and store in the memory of
/// other GPUs (lsa, NCCL's load/store access); or such kernels with a switch that adds (multimem).
enum class DeviceApi { none, lsa, multimem };
std::string_view to_string(DeviceApi api);
DeviceApi device_api_from(std::string_view text);  ///< Throws UsageError.

/// The neighbors of a rank in a graph with directed edges.
struct Neighborhood {
  std::vector<int> sources = {};  ///< ranks that send to this one
  std::vector<int> targets = {};  ///< ranks that it sends to
  /// Where this rank stands among the targets of each source.
  std::vector<std::size_t> places = {};
  std::size_t most_targets = 0;  ///< of any rank
};

/// Counts are elements, as in MPI: allreduce, reduce, broadcast: of the buffer; allgather, gather:
/// sent by each rank; alltoall: to each rank; scatter: received by each rank; reduce_scatter:
/// received by each rank, whose input is size() times as long. The parts for or from the ranks lie
/// one behind the other, in the order of the ranks; neighborhood routines: sent to each target.
/// Equal on all ranks but for pointers, counts of parts and neighbors.
struct Call {
  Routine routine = Routine::barrier;
  /// In place where the two are one: `in` equals `out` (allreduce, reduce and alltoall at every
  /// rank; broadcast always), or is this rank's part of `out` (allgather; gather at the root), or
  /// `out` is this rank's part of `in` (scatter at the root), or `out` lies where the communicator
  /// puts it (reduce_scatter: Communicator::reduced_part).
  const void* in = nullptr;
  void* out = nullptr;
  std::size_t count = 0;
  DType type = DType::int8;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
  Mode mode = Mode::blocking;
  /// Where the work is enqueued and earlier work on the data was; null: no stream knows the data.
  device::Stream* stream = nullptr;
  /// Elements to and from each rank of a routine with a v: allgatherv, gatherv: `from` (equal on
  /// all ranks); scatterv: `to` (equal on all ranks); alltoallv, alltoallw: both.
  std::vector<std::size_t> to = {}, from = {};
  /// An element is one of this type instead of `type`. MPI only, and not in place.
  const mpi::BlockType* blocks = nullptr;
  /// NCCL only, on symmetric memory: Communicator::allocate().
  DeviceApi device_api = DeviceApi::none;
  /// Of neighborhood routines. Parts lie in the order of the targets, and of the sources.
  Neighborhood neighbors = {};
};

/// Why there is no kernel for a call that asks for one; empty if there is, or none is asked for.
std::string why_no_kernel(const Call& call);

/// Elements that this rank hands over, and that it gets.
std::size_t in_elements(const Call& call, int rank, int size);
std::size_t out_elements(const Call& call, int rank, int size);

/// One message of a set that is posted together.
struct Transfer {
  enum class Direction { send, receive };
  Direction direction = Direction::send;
  void* data = nullptr;
  std::size_t count = 0;  ///< elements
  int peer = 0;
};

}  // namespace scalemark::collective
