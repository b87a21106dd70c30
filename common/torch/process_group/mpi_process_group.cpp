// SPDX-License-Identifier: Apache-2.0
// A c10d backend over collective::Communicator.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <c10/util/Exception.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "common/base/error.hpp"
#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {
namespace {

using collective::DType;
using collective::ReduceOp;
using Tensors = std::vector<at::Tensor>;

DType dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return DType::fp32;
    case at::kDouble:
      return DType::fp64;
    case at::kHalf:
      return DType::fp16;
    case at::kBFloat16:
      return DType::bf16;
    case at::kLong:
      return DType::int64;
    case at::kInt:
      return DType::int32;
    case at::kByte:
      return DType::uint8;
    case at::kChar:
      return DType::int8;
    default:
      throw Unavailable(std::string("MPI process group: no element type ") +
                        at::toString(tensor.scalar_type()));
  }
}

/// A started operation on one tensor, which it keeps alive.
class MpiWork : public c10d::Work {
 public:
  MpiWork(c10d::OpType type, const Tensors& tensors, std::unique_ptr<collective::Operation> request)
      : Work(-1, type),
        tensors_(tensors),
        request_(std::move(request)),
        future_(c10::make_intrusive<c10::ivalue::Future>(
            c10::ListType::create(c10::TensorType::get()))) {}

  bool isCompleted() override {
    if (request_ && request_->test()) complete();
    return request_ == nullptr;
  }
  bool isSuccess() const override { return request_ == nullptr; }
  bool wait(std::chrono::milliseconds /*timeout*/) override {
    if (request_) {
      request_->wait();
      complete();
    }
    return true;
  }
  void synchronize() override { wait(kNoTimeout); }
  Tensors result() override { return tensors_; }

  /// The reducer waits on the future in a callback at the end of the backward pass. Callbacks run
  /// in queue order, so the one queued here completes the operation first.
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    if (request_ == nullptr) return future_;
    if (torch::autograd::get_current_graph_task_id() < 0) {
      wait(kNoTimeout);
    } else {
      auto self = c10::intrusive_ptr<MpiWork>::unsafe_reclaim_from_nonowning(this);
      torch::autograd::Engine::get_default_engine().queue_callback(
          [self] { self->wait(kNoTimeout); });
    }
    return future_;
  }

 private:
  void complete() {
    request_.reset();
    future_->markCompleted(c10::IValue(tensors_));
  }

  Tensors tensors_;
  std::unique_ptr<collective::Operation> request_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

class MpiBackend : public c10d::Backend {
 public:
  explicit MpiBackend(collective::Communicator& comm)
      : Backend(comm.rank(), comm.size()), comm_(comm) {}

  const std::string getBackendName() const override { return "mpi"; }

  c10::intrusive_ptr<c10d::Work> allreduce(Tensors& tensors,
                                           const c10d::AllreduceOptions& options) override {
    TORCH_CHECK(options.reduceOp == c10d::ReduceOp::SUM,
                "MPI process group: only sums are reduced");
    at::Tensor& tensor = only(tensors);
    return c10::make_intrusive<MpiWork>(
        c10d::OpType::ALLREDUCE, tensors,
        comm_.start_allreduce(tensor.mutable_data_ptr(), static_cast<std::size_t>(tensor.numel()),
                              dtype_of(tensor), ReduceOp::sum));
  }

  c10::intrusive_ptr<c10d::Work> broadcast(Tensors& tensors,
                                           const c10d::BroadcastOptions& options) override {
    at::Tensor& tensor = only(tensors);
    return c10::make_intrusive<MpiWork>(
        c10d::OpType::BROADCAST, tensors,
        comm_.start_broadcast(tensor.mutable_data_ptr(), static_cast<std::size_t>(tensor.numel()),
                              dtype_of(tensor), static_cast<int>(options.rootRank)));
  }

  c10::intrusive_ptr<c10d::Work> _allgather_base(
      at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& /*options*/) override {
    check_parts(output, input);
    return c10::make_intrusive<MpiWork>(
        c10d::OpType::_ALLGATHER_BASE, Tensors{output, input},
        comm_.start_allgather(input.const_data_ptr(), output.mutable_data_ptr(),
                              static_cast<std::size_t>(input.numel()), dtype_of(input)));
  }

  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(
      at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) override {
    TORCH_CHECK(options.reduceOp == c10d::ReduceOp::SUM,
                "MPI process group: only sums are reduced");
    check_parts(input, output);
    return c10::make_intrusive<MpiWork>(
        c10d::OpType::_REDUCE_SCATTER_BASE, Tensors{output, input},
        comm_.start_reduce_scatter(input.const_data_ptr(), output.mutable_data_ptr(),
                                   static_cast<std::size_t>(output.numel()), dtype_of(output),
                                   ReduceOp::sum));
  }

 private:
  static at::Tensor& only(Tensors& tensors) {
    TORCH_CHECK(tensors.size() == 1, "MPI process group: one tensor a call, not ", tensors.size());
    check(tensors.front());
    return tensors.front();
  }

  static void check(const at::Tensor& tensor) {
    TORCH_CHECK(tensor.device().is_cpu(), "MPI process group: host tensors only, not ",
                tensor.device());
    TORCH_CHECK(tensor.is_non_overlapping_and_dense(), "MPI process group: the tensor has gaps");
  }

  /// `whole` must be as large as one part per rank.
  void check_parts(const at::Tensor& whole, const at::Tensor& part) const {
    check(whole);
    check(part);
    TORCH_CHECK(whole.scalar_type() == part.scalar_type(), "MPI process group: a whole of type ",
                whole.scalar_type(), " has no parts of type ", part.scalar_type());
    TORCH_CHECK(whole.numel() == part.numel() * comm_.size(), "MPI process group: ", part.numel(),
                " elements on each of ", comm_.size(), " ranks are not ", whole.numel());
  }

  collective::Communicator& comm_;
};

}  // namespace

ProcessGroupPtr make_mpi_process_group(collective::Communicator& comm) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(comm.rank(), comm.size());
  // CUSTOM: c10d's own MPI type would look for its own backend class.
  group->setBackend(c10::kCPU, c10d::ProcessGroup::BackendType::CUSTOM,
                    c10::make_intrusive<MpiBackend>(comm));
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  return group;
}

}  // namespace scalemark::torch_support
