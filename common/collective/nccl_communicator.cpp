// SPDX-License-Identifier: Apache-2.0
// Communication through NCCL: calls are enqueued in the given stream.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <set>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nccl.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/collective/dissemination.hpp"

namespace scalemark::collective {
namespace {

using device::Stream;

// In the order of DType and ReduceOp.
constexpr std::array<ncclDataType_t, 7> kTypes = {
    ncclInt8, ncclInt32, ncclInt64, ncclFloat16, ncclBfloat16, ncclFloat32, ncclFloat64};
constexpr std::array<ncclRedOp_t, 5> kOps = {ncclSum, ncclProd, ncclMin, ncclMax, ncclAvg};

ncclDataType_t native(DType type) { return kTypes[static_cast<std::size_t>(type)]; }
ncclRedOp_t native(ReduceOp op) { return kOps[static_cast<std::size_t>(op)]; }
cudaStream_t native(const Stream& stream) { return static_cast<cudaStream_t>(stream.native()); }

std::string describe(ncclResult_t code, ncclComm_t comm) {
  return fmt::format("NCCL: {} ({})", ncclGetErrorString(code), ncclGetLastError(comm));
}

class NcclCommunicator final : public Communicator {
 public:
  /// Collective over `ranks`.
  NcclCommunicator(const mpi::Comm& ranks, const std::string& id_bytes)
      : rank_(ranks.rank()), size_(ranks.size()), barrier_(ranks) {
    ncclUniqueId id{};
    std::memcpy(&id, id_bytes.data(), sizeof id);
    const ncclResult_t code = ncclCommInitRank(&comm_, size_, id, rank_);
    // All ranks leave alike, whichever of them failed. ncclInvalidUsage: ranks or devices that NCCL
    // refuses.
    const int mine = code == ncclSuccess ? 0 : code == ncclInvalidUsage ? 1 : 2;
    const std::int64_t worst = ranks.max(mine);
    if (worst == 0) return;
    const std::string text =
        mine == 0 ? "NCCL did not start on another rank" : describe(code, nullptr);
    if (comm_ != nullptr) ncclCommAbort(comm_);
    if (worst == 1) throw Unavailable(text);
    throw Error(text);
  }
  ~NcclCommunicator() override {
    // After a failure, or alone in unwinding, the others would be waited for in vain.
    if (failed_ || std::uncaught_exceptions() > 0) {
      ncclCommAbort(comm_);
    } else {
      ncclCommDestroy(comm_);
    }
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  std::string_view backend() const override { return "nccl"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string why_not(DType, ReduceOp, device::MemoryKind kind) const override {
    if (kind == device::MemoryKind::device) return {};
    return fmt::format("NCCL needs device memory, not {}", device::to_string(kind));
  }

  void send(const void* data, std::size_t count, DType type, int peer, Stream& stream) override {
    check(ncclSend(data, count, native(type), peer, comm_, native(stream)));
  }
  void recv(void* data, std::size_t count, DType type, int peer, Stream& stream) override {
    check(ncclRecv(data, count, native(type), peer, comm_, native(stream)));
  }
  void allreduce(const void* in, void* out, std::size_t count, DType type, ReduceOp op,
                 Stream& stream) override {
    check(ncclAllReduce(in, out, count, native(type), native(op), comm_, native(stream)));
  }
  void allgather(const void* in, void* out, std::size_t count, DType type,
                 Stream& stream) override {
    check(ncclAllGather(in, out, count, native(type), comm_, native(stream)));
  }
  void broadcast(void* data, std::size_t count, DType type, int root, Stream& stream) override {
    check(ncclBroadcast(data, data, count, native(type), root, comm_, native(stream)));
  }
  void barrier() override {
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(comm_, &state));
    check(state);
    barrier_.wait();
  }

  std::unique_ptr<Request> start_allreduce(void*, std::size_t, DType, ReduceOp) override {
    throw Unavailable("NCCL has no nonblocking allreduce on host memory");
  }
  std::unique_ptr<Request> start_broadcast(void*, std::size_t, DType, int) override {
    throw Unavailable("NCCL has no nonblocking broadcast on host memory");
  }
  std::unique_ptr<Request> start_allgather(const void*, void*, std::size_t, DType) override {
    throw Unavailable("NCCL has no nonblocking allgather on host memory");
  }
  std::unique_ptr<Request> start_reduce_scatter(const void*, void*, std::size_t, DType,
                                                ReduceOp) override {
    throw Unavailable("NCCL has no nonblocking reduce-scatter on host memory");
  }

 private:
  void check(ncclResult_t code) {
    if (code == ncclSuccess) [[likely]]
      return;
    failed_ = true;
    throw Error(describe(code, comm_));
  }

  int rank_, size_;
  DisseminationBarrier barrier_;
  ncclComm_t comm_ = nullptr;
  bool failed_ = false;
};

/// What NCCL takes for one GPU of one host: it compares NCCL_HOSTID where that is set.
std::string identity(const device::Device& device) {
  if (device.kind() != device::DeviceKind::cuda) return {};
  const char* host_id = std::getenv("NCCL_HOSTID");
  return fmt::format("{} {}", host_id == nullptr ? "" : host_id, device.uuid());
}

/// Why these ranks cannot use NCCL together; equal on all of them, since all see all identities.
std::string why_not_together(const mpi::Comm& ranks, const device::Device& device) {
  std::set<std::string> seen;
  for (const std::string& one : ranks.all_gather(identity(device))) {
    if (one.empty()) return "NCCL needs a CUDA device on every rank";
    if (!seen.insert(one).second)
      return "NCCL needs a GPU of its own for every rank; two ranks share one";
  }
  return {};
}

}  // namespace

std::unique_ptr<Communicator> make_nccl_communicator(const mpi::Comm& ranks,
                                                     device::Device& device) {
  const std::string why = why_not_together(ranks, device);
  if (!why.empty()) throw Unavailable(why);
  ncclUniqueId id{};
  const ncclResult_t code = ranks.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  const std::string bytes = ranks.broadcast(
      code == ncclSuccess ? std::string(reinterpret_cast<const char*>(&id), sizeof id)
                          : std::string());
  if (bytes.empty())
    throw Unavailable("NCCL cannot start on rank 0 (its own message: NCCL_DEBUG=WARN)");
  return std::make_unique<NcclCommunicator>(ranks, bytes);
}

std::string nccl_version() {
  int version = 0;  // 22809 is 2.28.9
  if (ncclGetVersion(&version) != ncclSuccess) return {};
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace scalemark::collective
