// SPDX-License-Identifier: Apache-2.0
// Communication through MPI on host memory. What a timed call does beyond MPI's own work is a table
// look-up and two comparisons: an allreduce of 8 bytes takes 150 ns in all.
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/collective/dissemination.hpp"
#include "common/collective/half_sums.hpp"
#include "common/collective/mpi_types.hpp"
#include "common/collective/staging.hpp"

namespace scalemark::collective {
namespace {

using device::Stream;

constexpr std::size_t kMaxCount = std::numeric_limits<int>::max();
constexpr int kTag = 0;

void check(int code) {
  if (code != MPI_SUCCESS) [[unlikely]]
    mpi::check(code);
}

/// Calls `call(count, type)` with a count that fits an int: the elements themselves, or one big
/// element.
template <typename Call>
void with_int_count(std::size_t count, MPI_Datatype element, DType type, Call call) {
  if (count <= kMaxCount) [[likely]] {
    check(call(static_cast<int>(count), element));
  } else {
    const BigType big(count, element, size_of(type));
    check(call(1, big.get()));
  }
}

class MpiRequest final : public Request {
 public:
  MpiRequest() = default;
  ~MpiRequest() override { MPI_Wait(&request_, MPI_STATUS_IGNORE); }
  MpiRequest(const MpiRequest&) = delete;
  MpiRequest& operator=(const MpiRequest&) = delete;
  bool test() override {
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
    return done != 0;
  }
  void wait() override { check(MPI_Wait(&request_, MPI_STATUS_IGNORE)); }
  MPI_Request* get() { return &request_; }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(const mpi::Comm& ranks)
      : owned_(ranks.duplicate()), comm_(owned_.get()), barrier_(ranks) {}

  std::string_view backend() const override { return "mpi"; }
  int rank() const override { return owned_.rank(); }
  int size() const override { return owned_.size(); }

  std::string why_not(DType type, ReduceOp op, device::MemoryKind kind) const override {
    if (kind == device::MemoryKind::device) return "device memory needs a CUDA device";
    if (types_.reducing(type) == MPI_DATATYPE_NULL)
      return fmt::format("MPI has no element type {}", to_string(type));
    if (types_.op(op) == MPI_OP_NULL) return fmt::format("MPI has no reduction {}", to_string(op));
    return {};
  }

  void send(const void* data, std::size_t count, DType type, int peer, Stream&) override {
    with_int_count(count, types_.moving(type), type, [&](int n, MPI_Datatype element) {
      return MPI_Send(data, n, element, peer, kTag, comm_);
    });
  }
  void recv(void* data, std::size_t count, DType type, int peer, Stream&) override {
    with_int_count(count, types_.moving(type), type, [&](int n, MPI_Datatype element) {
      return MPI_Recv(data, n, element, peer, kTag, comm_, MPI_STATUS_IGNORE);
    });
  }
  void allreduce(const void* in, void* out, std::size_t count, DType type, ReduceOp op,
                 Stream&) override {
    const MPI_Datatype element = types_.reducing(type);
    const MPI_Op reduction = types_.op(op);
    if (element == MPI_DATATYPE_NULL || reduction == MPI_OP_NULL || count > kMaxCount)
        [[unlikely]] {
      refuse(count, type, op);
    }
    check(MPI_Allreduce(in == out ? MPI_IN_PLACE : in, out, static_cast<int>(count), element,
                        reduction, comm_));
  }
  void allgather(const void* in, void* out, std::size_t count, DType type, Stream&) override {
    const std::size_t mine = static_cast<std::size_t>(owned_.rank()) * count * size_of(type);
    const void* source = in == static_cast<const char*>(out) + mine ? MPI_IN_PLACE : in;
    with_int_count(count, types_.moving(type), type, [&](int n, MPI_Datatype element) {
      return MPI_Allgather(source, n, element, out, n, element, comm_);
    });
  }
  void broadcast(void* data, std::size_t count, DType type, int root, Stream&) override {
    with_int_count(count, types_.moving(type), type, [&](int n, MPI_Datatype element) {
      return MPI_Bcast(data, n, element, root, comm_);
    });
  }
  void barrier() override { barrier_.wait(); }

  std::unique_ptr<Request> start_allreduce(void* data, std::size_t count, DType type,
                                           ReduceOp op) override {
    const Reduction reduction = started(count, type, op);
    auto request = std::make_unique<MpiRequest>();
    check(MPI_Iallreduce(MPI_IN_PLACE, data, static_cast<int>(count), reduction.type, reduction.op,
                         comm_, request->get()));
    return request;
  }
  std::unique_ptr<Request> start_broadcast(void* data, std::size_t count, DType type,
                                           int root) override {
    auto request = std::make_unique<MpiRequest>();
    with_int_count(count, types_.moving(type), type, [&](int n, MPI_Datatype element) {
      return MPI_Ibcast(data, n, element, root, comm_, request->get());
    });
    return request;
  }
  std::unique_ptr<Request> start_allgather(const void* in, void* out, std::size_t count,
                                           DType type) override {
    auto request = std::make_unique<MpiRequest>();
    with_int_count(count, types_.moving(type), type, [&](int n, MPI_Datatype element) {
      return MPI_Iallgather(in, n, element, out, n, element, comm_, request->get());
    });
    return request;
  }
  std::unique_ptr<Request> start_reduce_scatter(const void* in, void* out, std::size_t count,
                                                DType type, ReduceOp op) override {
    const Reduction reduction = started(count * static_cast<std::size_t>(size()), type, op);
    auto request = std::make_unique<MpiRequest>();
    check(MPI_Ireduce_scatter_block(in, out, static_cast<int>(count), reduction.type, reduction.op,
                                    comm_, request->get()));
    return request;
  }

 private:
  struct Reduction {
    MPI_Datatype type;
    MPI_Op op;
  };
  /// Of the operations that only start: these add 16-bit types too.
  Reduction started(std::size_t count, DType type, ReduceOp op) const {
    const MPI_Op half = op == ReduceOp::sum ? half_sums_.of(type) : MPI_OP_NULL;
    const Reduction reduction = half == MPI_OP_NULL
                                    ? Reduction{types_.reducing(type), types_.op(op)}
                                    : Reduction{types_.moving(type), half};
    if (reduction.type == MPI_DATATYPE_NULL || reduction.op == MPI_OP_NULL || count > kMaxCount)
      refuse(count, type, op);
    return reduction;
  }

  [[noreturn]] void refuse(std::size_t count, DType type, ReduceOp op) const {
    const std::string why = why_not(type, op, device::MemoryKind::pageable);
    if (!why.empty()) throw Unavailable(why);
    throw Unavailable(
        fmt::format("an MPI reduction takes at most {} elements, {} asked", kMaxCount, count));
  }

  mpi::Comm owned_;
  MPI_Comm comm_;
  MpiTypes types_;
  HalfSums half_sums_;
  DisseminationBarrier barrier_;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator(const mpi::Comm& ranks,
                                                    device::Device& device) {
  auto host = std::make_unique<MpiCommunicator>(ranks);
  if (device.kind() == device::DeviceKind::cpu) return host;
  return make_staged(std::move(host), device);
}

}  // namespace scalemark::collective
