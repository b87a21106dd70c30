// SPDX-License-Identifier: Apache-2.0
// Communication between the ranks of a case, behind one interface: MPI and NCCL are chosen at run
// time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/collective/types.hpp"
#include "common/device/device.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// A started operation; destroying it without wait() waits.
class Request {
 public:
  virtual ~Request() = default;
  virtual bool test() = 0;
  virtual void wait() = 0;
};

/// Counts are elements. Buffers lie in the memory that `why_not` accepts. With a back end that
/// works in streams (NCCL) calls are asynchronous in `stream`; with MPI they are done when they
/// return, and the stream is synchronised first if the memory is a device's.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual std::string_view backend() const = 0;  ///< "mpi", "nccl"
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Empty if `type` with `op` on memory of `kind` works here, else why not in one line. Equal on
  /// all ranks.
  virtual std::string why_not(DType type, ReduceOp op, device::MemoryKind kind) const = 0;

  virtual void send(const void* data, std::size_t count, DType type, int peer,
                    device::Stream& stream) = 0;
  virtual void recv(void* data, std::size_t count, DType type, int peer,
                    device::Stream& stream) = 0;
  /// Collective. `in` may equal `out` (in place).
  virtual void allreduce(const void* in, void* out, std::size_t count, DType type, ReduceOp op,
                         device::Stream& stream) = 0;
  /// Collective. `count` elements from each rank, size() * count on each. `in` may be this rank's
  /// part of `out` (in place).
  virtual void allgather(const void* in, void* out, std::size_t count, DType type,
                         device::Stream& stream) = 0;
  /// Collective.
  virtual void broadcast(void* data, std::size_t count, DType type, int root,
                         device::Stream& stream) = 0;
  /// Collective. Dissemination barrier (Hensgen, Finkel, Manber 1988) over host messages: every
  /// rank has entered when any leaves.
  virtual void barrier() = 0;

  /// Collective. As allreduce in place, broadcast and allgather, but return at once; host memory.
  /// Besides what `why_not` allows, fp16 and bf16 are added (HalfSums). Throw Unavailable where the
  /// back end has none.
  virtual std::unique_ptr<Request> start_allreduce(void* data, std::size_t count, DType type,
                                                   ReduceOp op) = 0;
  virtual std::unique_ptr<Request> start_broadcast(void* data, std::size_t count, DType type,
                                                   int root) = 0;
  virtual std::unique_ptr<Request> start_allgather(const void* in, void* out, std::size_t count,
                                                   DType type) = 0;
  /// Collective. `in` has size() * count elements; `out` gets the reduced `count` that begin at
  /// rank() * count. Returns at once, as the above; the buffers do not overlap.
  virtual std::unique_ptr<Request> start_reduce_scatter(const void* in, void* out,
                                                        std::size_t count, DType type,
                                                        ReduceOp op) = 0;
};

/// Collective over `ranks`. MPI on a duplicate of `ranks`. Device memory is staged through pinned
/// host memory of `device` (this version never hands device pointers to MPI).
std::unique_ptr<Communicator> make_mpi_communicator(const mpi::Comm& ranks, device::Device& device);

/// Collective over `ranks`. NCCL on `device`. Throws Unavailable on all ranks alike: built without
/// NCCL, no CUDA device, two ranks on one GPU.
std::unique_ptr<Communicator> make_nccl_communicator(const mpi::Comm& ranks,
                                                     device::Device& device);

/// Version text, "2.28.9"; empty when built without.
std::string nccl_version();

}  // namespace scalemark::collective
