// SPDX-License-Identifier: Apache-2.0
// Operations that are carried out once, whatever the back end.
#include "common/collective/communicator.hpp"

#include <utility>
#include <vector>

#include "common/base/error.hpp"

namespace scalemark::collective {
namespace {

std::unique_ptr<Operation> started(std::unique_ptr<Operation> operation) {
  operation->start();
  return operation;
}

/// Operations that are started in turn.
class OperationsInTurn final : public Operation {
 public:
  explicit OperationsInTurn(std::vector<std::unique_ptr<Operation>> all) : all_(std::move(all)) {}
  void run() override {
    start();
    wait();
  }
  void start() override {
    for (const auto& one : all_) one->start();
  }
  bool test() override {
    bool is_complete = true;
    for (const auto& one : all_) is_complete = one->test() && is_complete;
    return is_complete;
  }
  void wait() override {
    for (const auto& one : all_) one->wait();
  }

 private:
  std::vector<std::unique_ptr<Operation>> all_;
};

}  // namespace

std::unique_ptr<Operation> Communicator::prepare_together(std::span<const Call> calls) {
  std::vector<std::unique_ptr<Operation>> all;
  for (const Call& call : calls) all.push_back(prepare(call));
  return std::make_unique<OperationsInTurn>(std::move(all));
}

device::Buffer Communicator::allocate(std::size_t, Registration) {
  throw Unavailable("only NCCL registers memory");
}

std::string Communicator::why_not(DType type, ReduceOp op, device::MemoryKind kind) const {
  return why_not(Call{.routine = Routine::allreduce, .type = type, .op = op}, kind);
}

void Communicator::send(const void* data, std::size_t count, DType type, int peer,
                        device::Stream& stream) {
  // The direction says that the data are only read.
  const Transfer transfer{Transfer::Direction::send, const_cast<void*>(data), count, peer};
  prepare({&transfer, 1}, type, Mode::blocking, &stream)->run();
}

void Communicator::recv(void* data, std::size_t count, DType type, int peer,
                        device::Stream& stream) {
  const Transfer transfer{Transfer::Direction::receive, data, count, peer};
  prepare({&transfer, 1}, type, Mode::blocking, &stream)->run();
}

void Communicator::allreduce(const void* in, void* out, std::size_t count, DType type, ReduceOp op,
                             device::Stream& stream) {
  prepare({.routine = Routine::allreduce,
           .in = in,
           .out = out,
           .count = count,
           .type = type,
           .op = op,
           .stream = &stream})
      ->run();
}

void Communicator::allgather(const void* in, void* out, std::size_t count, DType type,
                             device::Stream& stream) {
  prepare({.routine = Routine::allgather,
           .in = in,
           .out = out,
           .count = count,
           .type = type,
           .stream = &stream})
      ->run();
}

void Communicator::broadcast(void* data, std::size_t count, DType type, int root,
                             device::Stream& stream) {
  prepare({.routine = Routine::broadcast,
           .in = data,
           .out = data,
           .count = count,
           .type = type,
           .root = root,
           .stream = &stream})
      ->run();
}

std::unique_ptr<Operation> Communicator::start_allreduce(void* data, std::size_t count, DType type,
                                                         ReduceOp op) {
  return started(prepare({.routine = Routine::allreduce,
                          .in = data,
                          .out = data,
                          .count = count,
                          .type = type,
                          .op = op,
                          .mode = Mode::nonblocking}));
}

std::unique_ptr<Operation> Communicator::start_broadcast(void* data, std::size_t count, DType type,
                                                         int root) {
  return started(prepare({.routine = Routine::broadcast,
                          .in = data,
                          .out = data,
                          .count = count,
                          .type = type,
                          .root = root,
                          .mode = Mode::nonblocking}));
}

std::unique_ptr<Operation> Communicator::start_allgather(const void* in, void* out,
                                                         std::size_t count, DType type) {
  return started(prepare({.routine = Routine::allgather,
                          .in = in,
                          .out = out,
                          .count = count,
                          .type = type,
                          .mode = Mode::nonblocking}));
}

std::unique_ptr<Operation> Communicator::start_reduce_scatter(const void* in, void* out,
                                                              std::size_t count, DType type,
                                                              ReduceOp op) {
  return started(prepare({.routine = Routine::reduce_scatter,
                          .in = in,
                          .out = out,
                          .count = count,
                          .type = type,
                          .op = op,
                          .mode = Mode::nonblocking}));
}

}  // namespace scalemark::collective
