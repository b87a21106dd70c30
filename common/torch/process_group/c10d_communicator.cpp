// SPDX-License-Identifier: Apache-2.0
// A collective::Communicator over c10d: operations on tensors over the caller's buffers.
#include "common/torch/process_group/c10d_communicator.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/StreamGuard.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/no_throw.hpp"
#include "common/collective/dissemination.hpp"
#include "common/torch/process_group/collectives.hpp"
#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {
namespace {

using collective::Call;
using collective::DType;
using collective::Mode;
using collective::Operation;
using collective::ReduceOp;
using collective::Routine;
using collective::Transfer;
using Work = c10::intrusive_ptr<c10d::Work>;
using TensorList = std::vector<at::Tensor>;

constexpr std::chrono::seconds kWaitForPeers{300};

at::ScalarType scalar_of(DType type) {
  switch (type) {
    case DType::int8:
      return at::kChar;
    case DType::uint8:
      return at::kByte;
    case DType::int32:
      return at::kInt;
    case DType::uint32:
      return at::kUInt32;
    case DType::int64:
      return at::kLong;
    case DType::uint64:
      return at::kUInt64;
    case DType::fp16:
      return at::kHalf;
    case DType::bf16:
      return at::kBFloat16;
    case DType::fp32:
      return at::kFloat;
    case DType::fp64:
      return at::kDouble;
    case DType::fp8_e4m3:
      return at::kFloat8_e4m3fn;
    case DType::fp8_e5m2:
      return at::kFloat8_e5m2;
  }
  return at::kChar;
}

c10d::ReduceOp c10d_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return c10d::ReduceOp::SUM;
    case ReduceOp::prod:
      return c10d::ReduceOp::PRODUCT;
    case ReduceOp::min:
      return c10d::ReduceOp::MIN;
    case ReduceOp::max:
      return c10d::ReduceOp::MAX;
    case ReduceOp::avg:
      return c10d::ReduceOp::AVG;
  }
  return c10d::ReduceOp::SUM;
}

/// Starts the c10d work on each run; rethrows c10d's errors without their stack trace.
class C10dOperation final : public Operation {
 public:
  using Start = std::function<std::vector<Work>()>;
  /// `stream`: of a GPU. c10d's own streams wait for it, and it waits for them, as with NCCL
  /// itself; null on the host.
  C10dOperation(Start start, device::Stream* stream, c10::Device device)
      : start_(std::move(start)), stream_(stream) {
    if (stream_ != nullptr) torch_stream_ = torch_stream(*stream_, device);
  }
  ~C10dOperation() override {
    try {
      C10dOperation::wait();
    } catch (...) {  // the operation failed: drop its work
    }
  }
  void run() override {
    start();
    wait();
  }
  void start() override {
    guarded([this] {
      const c10::OptionalStreamGuard guard(torch_stream_);
      for (Work& work : start_()) pending_.push_back(std::move(work));
    });
  }
  bool test() override {
    bool done = true;
    guarded([&] {
      for (const Work& work : pending_) done = work->isCompleted() && done;
    });
    return done;
  }
  void wait() override {
    guarded([this] {
      const c10::OptionalStreamGuard guard(torch_stream_);
      for (const Work& work : pending_) work->wait();
    });
    if (!pending_.empty() && stream_ != nullptr) stream_->synchronize();
    pending_.clear();
  }

 private:
  template <typename Do>
  static void guarded(Do what) {
    try {
      what();
    } catch (const c10::Error& error) {
      throw Error(fmt::format("c10d: {}", error.what_without_backtrace()));
    }
  }
  Start start_;
  device::Stream* stream_;
  std::optional<c10::Stream> torch_stream_;
  std::vector<Work> pending_;
};

class C10dCommunicator final : public collective::Communicator {
 public:
  /// `mpi`: the communicator behind an MPI group, kept as long as the group; null for other groups.
  C10dCommunicator(std::string name, const mpi::Comm& ranks, device::Device& device,
                   std::unique_ptr<collective::Communicator> mpi, ProcessGroupPtr group)
      : name_(std::move(name)),
        rank_(ranks.rank()),
        size_(ranks.size()),
        device_(device),
        barrier_(ranks),
        mpi_(std::move(mpi)),
        group_(std::move(group)) {}

  std::string_view backend() const override { return name_; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  using Communicator::why_not;
  std::string why_not(const Call& call, device::MemoryKind kind) const override {
    const bool on_device = kind == device::MemoryKind::device;
    if (on_device != on_gpu())
      return fmt::format("{} was made for {} memory", name_, on_gpu() ? "device" : "host");
    if (call.mode == Mode::persistent || call.mode == Mode::graph)
      return fmt::format("{} has no {} operations", name_, to_string(call.mode));
    if (call.blocks != nullptr) return "c10d has no datatypes of blocks";
    if (call.type == DType::uint32 || call.type == DType::uint64)
      return fmt::format("c10d has no {}", to_string(call.type));
    if (is_fp8(call.type)) return "fp8 is not measured through c10d";
    switch (call.routine) {
      case Routine::allgatherv:
      case Routine::gatherv:
      case Routine::scatterv:
        return fmt::format("c10d has no {}", to_string(call.routine));
      case Routine::allreduce:
      case Routine::reduce_scatter:
      case Routine::allgather:
      case Routine::broadcast:
        break;
      default:
        if (mpi_ != nullptr) return fmt::format("c10d over MPI has no {}", to_string(call.routine));
    }
    if (!reduces(call.routine)) return {};
    if (mpi_ != nullptr && call.op != ReduceOp::sum)
      return fmt::format("c10d over MPI has no {}", to_string(call.op));
    if (!on_gpu() && call.op == ReduceOp::avg) return "gloo has no avg";
    return {};
  }
  bool is_emulated(DType type, ReduceOp op) const override {
    return mpi_ != nullptr && mpi_->is_emulated(type, op);
  }
  std::size_t reduced_part(std::size_t count) const override {
    return mpi_ != nullptr ? 0 : static_cast<std::size_t>(rank_) * count;
  }

  std::unique_ptr<Operation> prepare(const Call& call) override {
    const std::string why =
        why_not(call, on_gpu() ? device::MemoryKind::device : device::MemoryKind::pageable);
    if (!why.empty()) throw Unavailable(why);
    return operation(bind(call), call.stream);
  }
  std::unique_ptr<Operation> prepare(std::span<const Transfer> transfers, DType type, Mode mode,
                                     device::Stream* stream) override {
    if (mode == Mode::persistent || mode == Mode::graph)
      throw Unavailable(fmt::format("{} has no {} operations", name_, to_string(mode)));
    return operation(bind(transfers, type), stream);
  }
  void barrier() override { barrier_.wait(); }
  void abandon() override {
    if (on_gpu()) ignore_errors("abort a process group of NCCL", [this] { group_->abort(); });
  }

 private:
  using Start = C10dOperation::Start;
  bool on_gpu() const { return device_.kind() == device::DeviceKind::cuda; }
  at::Device place() const {
    if (!on_gpu()) return at::Device(at::kCPU);
    return {at::kCUDA, static_cast<c10::DeviceIndex>(device_.index())};
  }
  std::unique_ptr<Operation> operation(Start start, device::Stream* stream) {
    if (on_gpu() && stream == nullptr)
      throw Unavailable("c10d works on device memory in a stream only");
    return std::make_unique<C10dOperation>(std::move(start), on_gpu() ? stream : nullptr, place());
  }

  at::Tensor tensor(const void* data, std::size_t count, DType type) const {
    return at::from_blob(const_cast<void*>(data), {static_cast<std::int64_t>(count)},
                         at::TensorOptions().dtype(scalar_of(type)).device(place()));
  }
  TensorList parts(const at::Tensor& whole) const { return whole.chunk(size_); }

  Start bind(const Call& call) {
    switch (call.routine) {
      case Routine::barrier:
        return [group = group_] { return std::vector{group->barrier()}; };
      case Routine::allreduce:
      case Routine::reduce:
        return bind_reduction(call);
      case Routine::gather:
      case Routine::scatter:
        return bind_rooted(call);
      default:
        return bind_others(call);
    }
  }

  Start bind_reduction(const Call& call) {
    const at::Tensor in = tensor(call.in, call.count, call.type);
    const bool has_result = call.routine == Routine::allreduce || rank_ == call.root;
    // Ranks without a result need a buffer too: c10d reduces in place.
    const at::Tensor out =
        has_result ? tensor(call.out, call.count, call.type) : at::empty_like(in);
    const bool copies = call.in != call.out || !has_result;
    c10d::AllreduceOptions all;
    all.reduceOp = c10d_op(call.op);
    c10d::ReduceOptions one;
    one.reduceOp = c10d_op(call.op);
    one.rootRank = call.root;
    return [=, group = group_, reduces_all = call.routine == Routine::allreduce] {
      if (copies) const_cast<at::Tensor&>(out).copy_(in);
      TensorList tensors{out};
      return std::vector{reduces_all ? group->allreduce(tensors, all)
                                     : group->reduce(tensors, one)};
    };
  }

  Start bind_rooted(const Call& call) {
    const bool is_root = rank_ == call.root;
    const auto ranks = static_cast<std::size_t>(size_);
    const bool gathers = call.routine == Routine::gather;
    const at::Tensor in =
        tensor(call.in, gathers || !is_root ? call.count : ranks * call.count, call.type);
    const at::Tensor out =
        tensor(call.out, gathers && is_root ? ranks * call.count : call.count, call.type);
    std::vector<TensorList> many;
    if (is_root) many.push_back(parts(gathers ? out : in));
    const TensorList single{gathers ? in : out};
    c10d::GatherOptions gather;
    gather.rootRank = call.root;
    c10d::ScatterOptions scatter;
    scatter.rootRank = call.root;
    return [=, group = group_]() mutable {
      return std::vector{gathers ? group->gather(many, const_cast<TensorList&>(single), gather)
                                 : group->scatter(const_cast<TensorList&>(single), many, scatter)};
    };
  }

  Start bind_others(const Call& call) {
    at::Tensor in = tensor(call.in, in_elements(call, rank_, size_), call.type);
    at::Tensor out = tensor(call.out, out_elements(call, rank_, size_), call.type);
    const auto group = group_;
    if (call.routine == Routine::broadcast) {
      c10d::BroadcastOptions options;
      options.rootRank = call.root;
      TensorList data{tensor(call.out, call.count, call.type)};
      return [=]() mutable { return std::vector{group->broadcast(data, options)}; };
    }
    if (call.routine == Routine::allgather)
      return [=]() mutable { return std::vector{all_gather_single(*group, out, in)}; };
    if (call.routine == Routine::reduce_scatter) {
      c10d::ReduceScatterOptions options;
      options.reduceOp = c10d_op(call.op);
      return [=]() mutable { return std::vector{reduce_scatter_single(*group, out, in, options)}; };
    }
    std::vector<std::int64_t> from(call.from.begin(), call.from.end());
    std::vector<std::int64_t> to(call.to.begin(), call.to.end());
    return [=]() mutable { return std::vector{all_to_all_single(*group, out, in, from, to)}; };
  }

  Start bind(std::span<const Transfer> transfers, DType type) {
    struct Message {
      bool sends;
      TensorList data;
      int peer;
    };
    std::vector<Message> messages;
    for (const Transfer& one : transfers) {
      messages.push_back({one.direction == Transfer::Direction::send,
                          {tensor(one.data, one.count, type)},
                          one.peer});
    }
    const bool together = on_gpu() && messages.size() > 1;
    return [=, group = group_]() mutable {
      if (together) group->startCoalescing(at::kCUDA);
      std::vector<Work> works;
      for (Message& one : messages) {
        works.push_back(one.sends ? group->send(one.data, one.peer, 0)
                                  : group->recv(one.data, one.peer, 0));
      }
      if (together) works = {group->endCoalescing(at::kCUDA)};
      return works;
    };
  }

  std::string name_;
  int rank_, size_;
  device::Device& device_;
  collective::DisseminationBarrier barrier_;
  std::unique_ptr<collective::Communicator> mpi_;
  ProcessGroupPtr group_;
};

}  // namespace

std::unique_ptr<collective::Communicator> make_gloo_communicator(const mpi::Comm& ranks,
                                                                 device::Device& device) {
  return std::make_unique<C10dCommunicator>("gloo", ranks, device, nullptr,
                                            make_gloo_process_group(ranks, kWaitForPeers));
}

std::unique_ptr<collective::Communicator> make_c10d_communicator(const mpi::Comm& ranks,
                                                                 device::Device& device) {
  if (device.kind() == device::DeviceKind::cuda) {
    const at::Device gpu(at::kCUDA, static_cast<c10::DeviceIndex>(device.index()));
    return std::make_unique<C10dCommunicator>("c10d", ranks, device, nullptr,
                                              make_nccl_process_group(ranks, gpu));
  }
  auto mpi = collective::make_mpi_communicator(ranks, device);
  ProcessGroupPtr group = make_mpi_process_group(*mpi);
  return std::make_unique<C10dCommunicator>("c10d", ranks, device, std::move(mpi),
                                            std::move(group));
}

}  // namespace scalemark::torch_support
