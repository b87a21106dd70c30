// SPDX-License-Identifier: Apache-2.0
// Collects the calls of a group and hands them to streams: one piece of work for a communicator.
#include "tests/gpu/software/nccl/group.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/gpu/software/cudart/hooks.hpp"
#include "tests/gpu/software/nccl/failure.hpp"
#include "tests/gpu/software/nccl/reduce.hpp"

namespace scalemark::software_nccl {
namespace {

/// What one communicator has to do, in the stream of the first call.
struct Batch {
  std::shared_ptr<Communicator> communicator;
  cudaStream_t stream;
  std::vector<Operation> operations;
};

struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<Batch> batches;
};
thread_local Group group;

/// Counts work that a stream has got until it is over, and work of a graph until that is gone.
class Ticket {
 public:
  explicit Ticket(std::shared_ptr<Communicator> communicator)
      : communicator_(std::move(communicator)) {
    ++communicator_->under_way;
  }
  ~Ticket() { --(in_graph_ ? communicator_->in_graphs : communicator_->under_way); }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  /// The work turned out to be part of a graph.
  void move_to_graph() {
    ++communicator_->in_graphs;
    in_graph_ = true;
    --communicator_->under_way;
  }

 private:
  std::shared_ptr<Communicator> communicator_;
  std::atomic<bool> in_graph_ = false;
};

void check_messages_to_self(const Batch& batch) {
  std::ptrdiff_t balance = 0;
  for (const Operation& one : batch.operations) {
    if (!one.is_message() || one.root != batch.communicator->rank()) continue;
    balance += one.routine == Routine::send ? 1 : -1;
  }
  require(balance == 0, ncclInvalidUsage, "Trying to send to self without a matching recv");
}

void submit(const Batch& batch) {
  int device = 0;
  const cudaError_t known = __cudaSoftwareStreamDevice(batch.stream, &device);
  require(known == cudaSuccess && device == batch.communicator->device(), ncclUnhandledCudaError,
          "Cuda failure 'invalid resource handle': the stream is not of the communicator's device");
  const auto ticket = std::make_shared<Ticket>(batch.communicator);
  bool captured = false;
  const cudaError_t code = __cudaSoftwareSubmit(
      batch.stream,
      [ticket, communicator = batch.communicator, operations = batch.operations] {
        return communicator->run(operations);
      },
      &captured);
  require(code == cudaSuccess, ncclUnhandledCudaError, "Cuda failure at the launch of a kernel");
  if (captured) ticket->move_to_graph();
  // NCCL connects ranks in the first call, with calls that a capture forbids in some of its
  // versions.
  require(!captured || batch.communicator->is_connected, ncclInvalidUsage,
          "the first operation of a communicator in a capture");
  batch.communicator->is_connected = true;
}

/// The group that is over, if nothing in it failed.
Group take_group() {
  Group ended = std::exchange(group, {});
  require(ended.error == ncclSuccess, ended.error, "a call in the group failed");
  for (const Batch& batch : ended.batches) check_messages_to_self(batch);
  return ended;
}

}  // namespace

void start_group() { ++group.depth; }

void end_group() {
  require(group.depth > 0, ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
  if (--group.depth > 0) return;
  const Group ended = take_group();
  for (const Batch& batch : ended.batches) submit(batch);
}

float simulate_group() {
  require(group.depth == 1, ncclInvalidUsage, "ncclGroupSimulateEnd: not in a group call.");
  constexpr float kStart = 5, kPerByte = 1e-3F;  // us
  float time = -1;
  const Group ended = take_group();
  for (const Batch& batch : ended.batches) {
    for (const Operation& one : batch.operations) {
      const auto bytes = static_cast<float>(one.count * size_of(one.type));
      if (!one.is_message()) time = kStart + bytes * kPerByte;
    }
  }
  return time;
}

bool in_group() { return group.depth > 0; }

void spoil_group(ncclResult_t code) {
  if (group.depth > 0 && group.error == ncclSuccess) group.error = code;
}

void enqueue(const std::shared_ptr<Communicator>& communicator, const Operation& operation,
             cudaStream_t stream) {
  start_group();
  auto batch = std::ranges::find(group.batches, communicator, &Batch::communicator);
  if (batch == group.batches.end()) {
    group.batches.push_back({communicator, stream, {}});
    batch = std::prev(group.batches.end());
  }
  const bool same = batch->stream == stream;
  if (same) batch->operations.push_back(operation);
  if (!same) spoil_group(ncclInvalidUsage);
  end_group();
  require(same, ncclInvalidUsage,
          "several streams for one communicator in a group: not supported by the software NCCL");
}

}  // namespace scalemark::software_nccl
