// SPDX-License-Identifier: Apache-2.0
// One rank's end of a communicator: carries out operations inside the work of a stream.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "tests/gpu/software/nccl/exchange.hpp"
#include "tests/gpu/software/nccl/operation.hpp"
#include "tests/gpu/software/nccl/shared.hpp"

namespace scalemark::software_nccl {

class Communicator {
 public:
  /// On the current device. Waits for all ranks. Throws Failure.
  Communicator(const ncclUniqueId& id, int size, int rank);

  int rank() const { return rank_; }
  int size() const { return size_; }
  int device() const { return device_; }

  /// Runs these in this order, messages together. For work in streams: what goes wrong becomes the
  /// communicator's error; only memory out of reach breaks the device down.
  cudaError_t run(const std::vector<Operation>& operations);

  /// The error of the communicator by now.
  ncclResult_t error();
  /// This rank leaves what it waits in, and fails from now on. As in NCCL, the others are not told.
  void abort() { exchange_.abort(); }
  /// Later work is an error of the program.
  ncclResult_t close();

  /// As Shared::agree().
  bool agree(std::uint64_t number) { return shared_.agree(rank_, number, exchange_.aborted()); }
  /// Collective. Where `bytes` bytes of each rank lie, given where they lie in this process.
  std::vector<SharedMemory> exchange(const SharedMemory& mine, std::size_t bytes);
  /// A kernel that reaches into the memory of other ranks: runs `work` between two meetings of
  /// all. As run().
  cudaError_t run_kernel(const std::function<void()>& work);

  /// Registered memory. A communicator is destroyed without any, but may be aborted with some.
  std::atomic<int> registered = 0;
  /// Work that a stream has got and that is not part of a graph.
  std::atomic<int> under_way = 0;
  /// Work that is part of a graph, until the graph and what was instantiated from it are destroyed.
  std::atomic<int> in_graphs = 0;
  /// Whether a stream got work that is not part of a graph: the ranks are connected.
  std::atomic<bool> is_connected = false;

 private:
  cudaError_t run_guarded(const std::function<void()>& work);
  void run_all(const std::vector<Operation>& operations);
  void run_messages(const std::vector<Operation>& operations);
  void run_collective(const Operation& operation);
  void finish_part(const Operation& operation, std::size_t offset, std::size_t count);
  void gather_pieces(const Operation& operation, std::size_t offset, std::size_t count,
                     std::vector<Piece>& sends, std::vector<Piece>& receives);
  void fail(const struct Failure& failure);

  int rank_, size_, device_ = 0;
  Shared shared_;
  std::mutex mutex_;  ///< of all below
  Exchange exchange_;
  std::vector<std::vector<std::byte>> from_peers_;
  bool closed_ = false;
  std::atomic<int> error_ = ncclSuccess;
};

}  // namespace scalemark::software_nccl
