// SPDX-License-Identifier: Apache-2.0
// Collectives as pieces between all pairs, reduced in the order of ranks.
#include "tests/gpu/software/nccl/communicator.hpp"

#include <algorithm>
#include <cstring>

#include "tests/gpu/software/cudart/hooks.hpp"
#include "tests/gpu/software/nccl/failure.hpp"
#include "tests/gpu/software/nccl/reduce.hpp"
#include "tests/gpu/software/nccl/settings.hpp"

namespace scalemark::software_nccl {
namespace {

/// Bytes of a collective that are under way between two ranks.
constexpr std::size_t kPart = std::size_t{1} << 20;

/// Memory that a GPU could not reach.
struct OutOfReach {};

int current_device() {
  int place = 0, number = 0;
  require(__cudaSoftwareDevice(&place, &number) == cudaSuccess, ncclUnhandledCudaError,
          "no usable CUDA device");
  return number;
}

int current_place() {
  int place = 0, number = 0;
  require(__cudaSoftwareDevice(&place, &number) == cudaSuccess, ncclUnhandledCudaError,
          "no usable CUDA device");
  return place;
}

std::byte* at(const void* data, std::size_t offset) {
  return static_cast<std::byte*>(const_cast<void*>(data)) + offset;
}

bool reduces(Routine routine) {
  return routine == Routine::allreduce || routine == Routine::reduce ||
         routine == Routine::reduce_scatter;
}

/// The operation with the addresses at which this rank's bytes lie for the host. What the rank does
/// not use may be null.
Operation reached(Operation one, int rank, int size, int device) {
  const std::size_t bytes = one.count * size_of(one.type), ranks = static_cast<std::size_t>(size);
  const Routine routine = one.routine;
  const bool is_root = rank == one.root;
  const bool reads = routine != Routine::recv && (routine != Routine::broadcast || is_root);
  const bool writes = routine != Routine::send && (routine != Routine::reduce || is_root);
  if (bytes == 0) return one;
  if (reads) {
    one.in = __cudaSoftwareReach(one.in, routine == Routine::reduce_scatter ? bytes * ranks : bytes,
                                 device);
    if (one.in == nullptr) throw OutOfReach{};
  }
  if (writes) {
    one.out =
        __cudaSoftwareReach(one.out, routine == Routine::allgather ? bytes * ranks : bytes, device);
    if (one.out == nullptr) throw OutOfReach{};
  }
  return one;
}

}  // namespace

Communicator::Communicator(const ncclUniqueId& id, int size, int rank)
    : rank_(rank),
      size_(size),
      device_(current_device()),
      shared_(id, size, rank, identity_of(current_place())),
      exchange_(shared_, rank, size),
      from_peers_(static_cast<std::size_t>(size)) {}

cudaError_t Communicator::run(const std::vector<Operation>& operations) {
  return run_guarded([&] { run_all(operations); });
}

cudaError_t Communicator::run_kernel(const std::function<void()>& work) {
  return run_guarded([&] {
    shared_.meet(rank_, exchange_.aborted());
    work();
    shared_.meet(rank_, exchange_.aborted());
  });
}

std::vector<SharedMemory> Communicator::exchange(const SharedMemory& mine, std::size_t bytes) {
  shared_.publish(rank_, mine);
  require(agree(bytes), ncclInvalidArgument, "ranks gave different sizes");
  std::vector<SharedMemory> all;
  for (int rank = 0; rank < size_; ++rank) all.push_back(shared_.memory_of(rank));
  agree(bytes);  // all ranks have read before one publishes again
  return all;
}

cudaError_t Communicator::run_guarded(const std::function<void()>& work) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    warn(rank_, "a stream ran an operation after its communicator was destroyed");
    return cudaErrorIllegalAddress;
  }
  if (error_ != ncclSuccess) return cudaSuccess;
  static std::atomic<std::uint64_t> works = 0;
  if (++works == settings().fail_work) {
    // As in NCCL, the other ranks are not told.
    warn(rank_, "this operation was told to fail");
    error_ = settings().work_code;
    return cudaSuccess;
  }
  delay(rank_);
  try {
    work();
  } catch (const Failure& failure) {
    fail(failure);
  } catch (const OutOfReach&) {
    warn(rank_, "an operation got memory that the device cannot reach");
    fail({ncclUnhandledCudaError, "an illegal memory access was encountered"});
    return cudaErrorIllegalAddress;
  }
  delay(rank_);
  return cudaSuccess;
}

void Communicator::fail(const Failure& failure) {
  warn(rank_, failure.text);
  error_ = failure.code;
  shared_.fail(failure.code);
}

ncclResult_t Communicator::error() {
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock && error_ == ncclSuccess) {
    try {
      exchange_.check_late();
    } catch (const Failure& failure) {
      fail(failure);
    }
  }
  if (error_ != ncclSuccess) return static_cast<ncclResult_t>(error_.load());
  return shared_.failure() == ncclSuccess ? ncclSuccess : ncclRemoteError;
}

ncclResult_t Communicator::close() {
  const ncclResult_t last = error();
  const std::lock_guard lock(mutex_);
  closed_ = true;
  return last;
}

void Communicator::run_all(const std::vector<Operation>& operations) {
  std::vector<Operation> messages;
  for (const Operation& one : operations) {
    const Operation here = reached(one, rank_, size_, device_);
    if (here.is_message()) {
      messages.push_back(here);
    } else if (here.count > 0) {
      run_collective(here);
    }
  }
  if (!messages.empty()) run_messages(messages);
}

void Communicator::run_messages(const std::vector<Operation>& operations) {
  std::vector<Piece> sends, receives;
  for (const Operation& one : operations) {
    const bool sent = one.routine == Routine::send;
    (sent ? sends : receives)
        .push_back({one.root, header_of(one), sent ? const_cast<void*>(one.in) : one.out,
                    one.count * size_of(one.type)});
  }
  exchange_.run(sends, receives);
}

void Communicator::run_collective(const Operation& operation) {
  const std::size_t size = size_of(operation.type), most = kPart / size;
  for (std::size_t offset = 0; offset < operation.count; offset += most) {
    const std::size_t count = std::min(most, operation.count - offset);
    std::vector<Piece> sends, receives;
    gather_pieces(operation, offset * size, count * size, sends, receives);
    exchange_.run(sends, receives);
    finish_part(operation, offset * size, count);
  }
}

/// Offset and bytes of a part; at the first one headers go to all and come from all.
void Communicator::gather_pieces(const Operation& operation, std::size_t offset, std::size_t bytes,
                                 std::vector<Piece>& sends, std::vector<Piece>& receives) {
  const Routine routine = operation.routine;
  const bool rooted = routine == Routine::reduce || routine == Routine::broadcast;
  const std::size_t whole = operation.count * size_of(operation.type);
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    const auto index = static_cast<std::size_t>(peer);
    // Data goes to the root of a reduction, and from the root of a broadcast.
    const bool sent = !rooted || operation.root == (routine == Routine::reduce ? peer : rank_);
    const bool got = !rooted || operation.root == (routine == Routine::reduce ? rank_ : peer);
    Piece out{peer, {}, nullptr, 0}, in{peer, {}, nullptr, 0};
    if (offset == 0) out.header = in.header = header_of(operation);
    if (sent) {
      const std::size_t part = routine == Routine::reduce_scatter ? index * whole : 0;
      out.data = at(operation.in, part + offset);
      out.bytes = bytes;
    }
    if (got) {
      from_peers_[index].resize(reduces(routine) ? bytes : 0);
      const std::size_t part = routine == Routine::allgather ? index * whole : 0;
      in.data = reduces(routine) ? from_peers_[index].data() : at(operation.out, part + offset);
      in.bytes = bytes;
    }
    if (out.header || out.bytes > 0) sends.push_back(out);
    if (in.header || in.bytes > 0) receives.push_back(in);
  }
}

/// What a rank does with its own bytes and, in a reduction, with those of the others.
void Communicator::finish_part(const Operation& operation, std::size_t offset, std::size_t count) {
  const Routine routine = operation.routine;
  const std::size_t size = size_of(operation.type), whole = operation.count * size;
  const std::size_t own = static_cast<std::size_t>(rank_) * whole;
  if (routine == Routine::allgather) {
    std::memmove(at(operation.out, own + offset), at(operation.in, offset), count * size);
  } else if (routine == Routine::broadcast) {
    if (rank_ != operation.root) return;
    std::memmove(at(operation.out, offset), at(operation.in, offset), count * size);
  } else if (routine != Routine::reduce || rank_ == operation.root) {
    std::vector<const void*> all;
    for (const auto& bytes : from_peers_) all.push_back(bytes.data());
    const std::size_t part = routine == Routine::reduce_scatter ? own : 0;
    all[static_cast<std::size_t>(rank_)] = at(operation.in, part + offset);
    reduce(all, at(operation.out, offset), count, operation.type, operation.op);
  }
}

}  // namespace scalemark::software_nccl
