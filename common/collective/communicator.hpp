// SPDX-License-Identifier: Apache-2.0
// Communication between the ranks of a case behind one interface. The back end (MPI, NCCL and
// others) is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/collective/call.hpp"
#include "common/collective/operation.hpp"
#include "common/collective/types.hpp"
#include "common/device/device.hpp"
#include "common/device/memory.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// How a library is told of memory before it is used. Local: of this rank's alone. Symmetric: all
/// ranks register as many bytes, and may write into each other's memory.
enum class Registration { local, symmetric };

/// Buffers lie in memory that `why_not` accepts. Every back end has both prepare() functions and
/// the barrier; the functions named like a routine are built on them.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual std::string_view backend() const = 0;  ///< "mpi", "nccl", "gloo", "c10d"
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Empty if the call's routine, type, reduction and mode work here on memory of `kind`; else the
  /// reason in one line. Equal on all ranks.
  virtual std::string why_not(const Call& call, device::MemoryKind kind) const = 0;
  /// As above, for an allreduce.
  std::string why_not(DType type, ReduceOp op, device::MemoryKind kind) const;
  /// Whether the library lacks the reduction, so that our own function reduces, or divides
  /// afterwards. Such a time says little about the library.
  virtual bool is_emulated(DType type, ReduceOp op) const = 0;
  /// Where an in-place reduce_scatter leaves its result, in elements from the start of its input.
  virtual std::size_t reduced_part(std::size_t count) const = 0;

  /// Collective. Throws Unavailable for calls that why_not() refuses and for counts beyond the
  /// library's limit.
  virtual std::unique_ptr<Operation> prepare(const Call& call) = 0;
  /// Collective. Calls of one mode and stream, each with its own buffers, that are started in turn
  /// and completed together. NCCL takes them as one group. Throws as prepare().
  virtual std::unique_ptr<Operation> prepare_together(std::span<const Call> calls);
  /// Collective if symmetric. Device memory that the library allocates and registers, for this
  /// communicator, which must outlive it. Throws Unavailable where it registers none.
  virtual device::Buffer allocate(std::size_t bytes, Registration how);
  /// Messages of one type that are posted together, receives first, and completed together; one
  /// alone is the library's plain send or receive, one of each direction its combined call.
  virtual std::unique_ptr<Operation> prepare(std::span<const Transfer> transfers, DType type,
                                             Mode mode, device::Stream* stream) = 0;
  /// Collective. Dissemination barrier (Hensgen, Finkel, Manber 1988) over host messages: every
  /// rank has entered when any leaves.
  virtual void barrier() = 0;

  /// Collective. Seconds that the library itself predicts for a call, which it does not run; the
  /// stream and the buffers must be valid. Empty if it predicts nothing.
  virtual std::optional<double> predicted_seconds(const Call&) { return std::nullopt; }

  // Failures. One rank fails while others wait for it here.
  /// Whether free_peers() frees all of them; else only the end of the job does. Equal on all ranks.
  virtual bool can_free_peers() const { return false; }
  /// This rank failed and does not come: others that wait for it here get Interrupted, if their
  /// look_for_failures() is called. Does not wait for them.
  virtual void free_peers() {}
  /// From another thread, while this rank waits here. If another rank failed, the wait ends with
  /// Interrupted; if the library reports an error, with Error.
  virtual void look_for_failures() noexcept {}
  /// Collective, when all ranks know that one failed: the communicator is only destroyed from now
  /// on, and that does not wait for operations.
  virtual void abandon() {}

  // Blocking: run once, complete when they return.
  /// One message to or from rank `peer`. `count` is in elements.
  void send(const void* data, std::size_t count, DType type, int peer, device::Stream& stream);
  void recv(void* data, std::size_t count, DType type, int peer, device::Stream& stream);
  /// Collective. `in` may equal `out` (in place).
  void allreduce(const void* in, void* out, std::size_t count, DType type, ReduceOp op,
                 device::Stream& stream);
  /// Collective. `in` may be this rank's part of `out` (in place).
  void allgather(const void* in, void* out, std::size_t count, DType type, device::Stream& stream);
  /// Collective.
  void broadcast(void* data, std::size_t count, DType type, int root, device::Stream& stream);

  /// Collective. Started once, on host memory. They return at once; wait for the operation.
  std::unique_ptr<Operation> start_allreduce(void* data, std::size_t count, DType type,
                                             ReduceOp op);
  std::unique_ptr<Operation> start_broadcast(void* data, std::size_t count, DType type, int root);
  std::unique_ptr<Operation> start_allgather(const void* in, void* out, std::size_t count,
                                             DType type);
  /// `in` has size() * count elements; `out` gets the reduced `count` that begin at rank() * count.
  std::unique_ptr<Operation> start_reduce_scatter(const void* in, void* out, std::size_t count,
                                                  DType type, ReduceOp op);
};

/// How device memory goes through MPI: staged through pinned host memory, or passed as it is. A
/// library that does not support device pointers ends the process with `direct`.
enum class DeviceMemory { staged, direct };

/// Collective over `ranks`. MPI on a duplicate of `ranks`. With `direct` MPI gets the pointers as
/// they are: prepare() waits for earlier work of the stream, and whoever puts new data into the
/// memory of a prepared operation waits for that before it is run. Reductions that MPI lacks are
/// refused on device memory, since ours run on the host.
std::unique_ptr<Communicator> make_mpi_communicator(const mpi::Comm& ranks, device::Device& device,
                                                    DeviceMemory memory = DeviceMemory::staged);

/// Collective over `ranks`. NCCL on `device`. Throws Unavailable on all ranks alike: built without
/// NCCL, no CUDA device, two ranks on one GPU.
std::unique_ptr<Communicator> make_nccl_communicator(const mpi::Comm& ranks,
                                                     device::Device& device);

/// Collective over `ranks`. Nanoseconds that ncclCommInitRank takes on this rank, without the
/// exchange of the identifier before it and the destruction after it. Throws as
/// make_nccl_communicator.
std::uint64_t time_nccl_creation(const mpi::Comm& ranks, device::Device& device);

/// Version text, "2.28.9"; empty when built without.
std::string nccl_version();

}  // namespace scalemark::collective
