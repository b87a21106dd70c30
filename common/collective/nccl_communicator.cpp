// SPDX-License-Identifier: Apache-2.0
// Communication through NCCL: calls are enqueued in the given stream.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nccl.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/collective/alarm.hpp"
#include "common/collective/communicator.hpp"
#include "common/collective/device_api/nccl_kernels.hpp"
#include "common/collective/dissemination.hpp"
#include "common/collective/interruption.hpp"
#include "common/collective/messages.hpp"
#include "common/collective/nccl_calls.hpp"
#include "common/collective/nccl_memory.hpp"
#include "common/collective/nccl_operation.hpp"
#include "common/collective/nccl_version.hpp"
#include "common/mpi/environment.hpp"

namespace scalemark::collective {
namespace {

using device::Stream;

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 24, 0)
constexpr ncclDataType_t kFp8E4m3 = ncclFloat8e4m3, kFp8E5m2 = ncclFloat8e5m2;
#else
constexpr ncclDataType_t kFp8E4m3 = ncclUint8, kFp8E5m2 = ncclUint8;  // refused by why_not_fp8()
#endif
/// NCCL refuses to reduce fp8 on GPUs of a lower compute capability.
constexpr int kFp8ReducedSince = 9;

// In the order of DType and ReduceOp.
constexpr std::array<ncclDataType_t, kDTypes> kTypes = {
    ncclInt8,    ncclUint8,    ncclInt32,   ncclUint32,  ncclInt64, ncclUint64,
    ncclFloat16, ncclBfloat16, ncclFloat32, ncclFloat64, kFp8E4m3,  kFp8E5m2};
constexpr std::array<ncclRedOp_t, 5> kOps = {ncclSum, ncclProd, ncclMin, ncclMax, ncclAvg};

ncclDataType_t native(DType type) { return kTypes[static_cast<std::size_t>(type)]; }
ncclRedOp_t native(ReduceOp op) { return kOps[static_cast<std::size_t>(op)]; }
cudaStream_t native(const Stream& stream) { return static_cast<cudaStream_t>(stream.native()); }

/// Major compute capability of this rank's GPU; 0 if CUDA does not tell.
int compute_capability() {
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  const cudaError_t code =
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return code == cudaSuccess ? major : 0;
}

/// What NCCL has a function for; the others are groups of messages.
bool is_own_routine(Routine routine) {
  return routine == Routine::allreduce || routine == Routine::reduce ||
         routine == Routine::reduce_scatter || routine == Routine::allgather ||
         routine == Routine::broadcast;
}

class NcclCommunicator final : public Communicator {
 public:
  /// Collective over `ranks`.
  NcclCommunicator(const mpi::Comm& ranks, const std::string& id_bytes)
      : rank_(ranks.rank()),
        size_(ranks.size()),
        threads_may_call_mpi_(ranks.min(mpi::any_thread_may_call() ? 1 : 0) == 1),
        reduces_fp8_(ranks.min(compute_capability()) >= kFp8ReducedSince),
        barrier_(ranks),
        alarm_(ranks) {
    ncclUniqueId id{};
    std::memcpy(&id, id_bytes.data(), sizeof id);
    const std::uint64_t start = now_ns();
    const ncclResult_t code = ncclCommInitRank(&comm_, size_, id, rank_);
    creation_ns_ = now_ns() - start;
    // All ranks leave alike, whichever of them failed. ncclInvalidUsage: ranks or devices that NCCL
    // refuses.
    const int mine = code == ncclSuccess ? 0 : code == ncclInvalidUsage ? 1 : 2;
    const std::int64_t worst = ranks.max(mine);
    if (worst == 0) {
      memory_.emplace(
          comm_, interruption_, [this](ncclResult_t result) { check(result); },
          [this] { return is_usable(); });
      return;
    }
    const std::string text =
        mine == 0 ? "NCCL did not start on another rank" : describe_nccl(code, nullptr);
    if (comm_ != nullptr) ncclCommAbort(comm_);
    if (worst == 1) throw Unavailable(text);
    throw Error(text);
  }
  ~NcclCommunicator() override {
    // After a failure, or alone in unwinding, the others would be waited for in vain.
    const bool is_alone = !is_usable() || std::uncaught_exceptions() > 0;
    for (auto& [api, kernels] : kernels_) {
      if (is_alone) kernels->abandon();
      kernels.reset();
    }
    if (interruption_.is_interrupted()) return;  // aborted already
    if (is_alone) {
      ncclCommAbort(comm_);
    } else {
      ncclCommDestroy(comm_);
    }
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// Time of ncclCommInitRank.
  std::uint64_t creation_ns() const { return creation_ns_; }

  std::string_view backend() const override { return "nccl"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  using Communicator::why_not;
  std::string why_not(const Call& call, device::MemoryKind kind) const override {
    if (kind != device::MemoryKind::device)
      return fmt::format("NCCL needs device memory, not {}", device::to_string(kind));
    if (call.routine == Routine::barrier) return "NCCL has no barrier";
    if (call.blocks != nullptr) return "NCCL has no datatypes of blocks";
    if (call.mode == Mode::persistent) return "NCCL has no persistent operations";
    if (const std::string why = why_no_kernel(call); !why.empty()) return why;
    return is_fp8(call.type) ? why_not_fp8(call.routine) : "";
  }
  bool is_emulated(DType, ReduceOp) const override { return false; }
  std::size_t reduced_part(std::size_t count) const override {
    return static_cast<std::size_t>(rank_) * count;
  }

  std::unique_ptr<Operation> prepare(const Call& call) override {
    require(call);
    if (call.device_api != DeviceApi::none) return kernel_operation(call);
    return operation([this, call] { enqueue(call); }, call.mode, call.stream);
  }
  std::unique_ptr<Operation> prepare_together(std::span<const Call> calls) override {
    for (const Call& call : calls) {
      require(call);
      if (call.device_api != DeviceApi::none)
        throw Unavailable("kernels over NCCL's device API are started one by one");
    }
    return operation(
        [this, all = std::vector<Call>(calls.begin(), calls.end())] {
          in_group([&] {
            for (const Call& call : all) enqueue(call);
          });
        },
        calls.front().mode, calls.front().stream);
  }
  device::Buffer allocate(std::size_t bytes, Registration how) override {
    return memory_->allocate(bytes, how);
  }
  std::unique_ptr<Operation> prepare(std::span<const Transfer> transfers, DType type, Mode mode,
                                     Stream* stream) override {
    if (mode == Mode::persistent) throw Unavailable("NCCL has no persistent operations");
    return operation([this, all = std::vector<Transfer>(transfers.begin(), transfers.end()), type,
                      stream] { grouped(all, type, native(*stream)); },
                     mode, stream);
  }
  std::optional<double> predicted_seconds(const Call& call) override {
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 22, 0)
    // NCCL predicts its own collectives, not groups of messages, and runs those of one rank at
    // once.
    if (loaded_nccl_version() < NCCL_VERSION(2, 22, 0) || !is_own_routine(call.routine) ||
        call.device_api != DeviceApi::none || size_ == 1)
      return {};
    ncclSimInfo_t simulated = NCCL_SIM_INFO_INITIALIZER;
    check(ncclGroupStart());
    try {
      enqueue(call);
    } catch (...) {
      ncclGroupEnd();  // a group left open would swallow all later calls of this thread
      throw;
    }
    check(ncclGroupSimulateEnd(&simulated));
    if (simulated.estimatedTime > 0) return simulated.estimatedTime * 1e-6;
#endif
    return {};
  }
  void barrier() override {
    throw_if_failed();
    barrier_.wait(interruption_);
  }

  bool can_free_peers() const override { return threads_may_call_mpi_; }
  void free_peers() override { alarm_.raise(); }
  void look_for_failures() noexcept override {
    if (interruption_.is_interrupted()) return;
    // Without a text of ours: the rank that failed tells the reason.
    if (alarm_.is_raised()) {
      interrupt({});
    } else if (const ncclResult_t state = asynchronous_error(); state != ncclSuccess) {
      interrupt(describe_nccl(state, comm_));
    }
  }
  void abandon() override {
    failed_ = true;
    barrier_.settle();
    alarm_.settle();
  }

 private:
  std::string why_not_fp8(Routine routine) const {
    if (kFp8E4m3 == ncclUint8) return "NCCL has fp8 from version 2.24 on";
    if (reduces(routine) && !reduces_fp8_)
      return fmt::format("NCCL reduces fp8 on GPUs of compute capability {}.0 and higher",
                         kFp8ReducedSince);
    return {};
  }
  void require(const Call& call) const {
    const std::string why = why_not(call, device::MemoryKind::device);
    if (!why.empty()) throw Unavailable(why);
    if (exchanges(call.routine) && call.in == call.out && call.in != nullptr)
      throw Unavailable("NCCL has no all-to-all in place");
  }
  /// Whether NCCL may be called still: it is aborted after a failure.
  bool is_usable() const { return !failed_ && !interruption_.is_interrupted(); }
  void throw_if_failed() {
    interruption_.guard([this] { check(asynchronous_error()); });
  }
  ncclResult_t asynchronous_error() const {
    ncclResult_t state = ncclSuccess;
    const ncclResult_t code = ncclCommGetAsyncError(comm_, &state);
    return code == ncclSuccess ? state : code;
  }
  void interrupt(std::string error) {
    interruption_.interrupt(std::move(error), [this] { ncclCommAbort(comm_); });
  }

  std::unique_ptr<Operation> operation(std::function<void()> enqueue, Mode mode, Stream* stream) {
    if (stream == nullptr) throw Unavailable("NCCL works on device memory in a stream only");
    StreamLibrary library = {*stream, interruption_, [this] { throw_if_failed(); }};
    if (mode == Mode::graph) return make_graph_operation(enqueue, std::move(library));
    return make_stream_operation(std::move(enqueue), std::move(library));
  }

  std::unique_ptr<Operation> kernel_operation(const Call& call) {
    NcclKernels& kernels = kernels_of(call.device_api);
    return operation(
        [&kernels, call, in = memory_->find(call.in), out = memory_->find(call.out)] {
          kernels.enqueue(call, in, out, native(*call.stream));
        },
        call.mode, call.stream);
  }
  /// Collective at the first call for `api`.
  NcclKernels& kernels_of(DeviceApi api) {
    const auto found = kernels_.find(api);
    if (found != kernels_.end()) return *found->second;
    std::unique_ptr<NcclKernels> made;
    interruption_.guard([&] {
      try {
        made = make_nccl_kernels(comm_, api);
      } catch (const Unavailable&) {
        throw;  // on all ranks alike
      } catch (const Error&) {
        failed_ = true;
        throw;
      }
    });
    return *(kernels_[api] = std::move(made));
  }

  void enqueue(const Call& call) {
    const ncclDataType_t type = native(call.type);
    cudaStream_t stream = native(*call.stream);
    switch (call.routine) {
      case Routine::allreduce:
        return check(
            ncclAllReduce(call.in, call.out, call.count, type, native(call.op), comm_, stream));
      case Routine::reduce:
        return check(ncclReduce(call.in, call.out, call.count, type, native(call.op), call.root,
                                comm_, stream));
      case Routine::reduce_scatter:
        return check(
            ncclReduceScatter(call.in, call.out, call.count, type, native(call.op), comm_, stream));
      case Routine::allgather:
        return check(ncclAllGather(call.in, call.out, call.count, type, comm_, stream));
      case Routine::broadcast:
        return check(ncclBroadcast(call.in, call.out, call.count, type, call.root, comm_, stream));
      default:
        return grouped(messages_of(call, rank_, size_), call.type, stream);
    }
  }

  /// Messages as one group: NCCL carries them out together.
  void grouped(const std::vector<Transfer>& transfers, DType type, cudaStream_t stream) {
    in_group([&] {
      for (const Transfer& one : transfers)
        check(one.direction == Transfer::Direction::send
                  ? ncclSend(one.data, one.count, native(type), one.peer, comm_, stream)
                  : ncclRecv(one.data, one.count, native(type), one.peer, comm_, stream));
    });
  }

  /// What `enqueue` calls, as one group. A group may lie within another. It is also ended after a
  /// failure: left open, it would swallow all later calls of this thread.
  template <typename Enqueue>
  void in_group(const Enqueue& enqueue) {
    check(ncclGroupStart());
    try {
      enqueue();
    } catch (...) {
      ncclGroupEnd();
      throw;
    }
    check(ncclGroupEnd());
  }

  void check(ncclResult_t code) {
    if (code == ncclSuccess) [[likely]]
      return;
    failed_ = true;
    throw Error(describe_nccl(code, comm_));
  }

  int rank_, size_;
  bool threads_may_call_mpi_;
  bool reduces_fp8_;  ///< all GPUs of the ranks can
  InterruptibleBarrier barrier_;
  Alarm alarm_;
  Interruption interruption_;
  ncclComm_t comm_ = nullptr;
  std::optional<NcclMemory> memory_;  ///< when comm_ is there
  std::map<DeviceApi, std::unique_ptr<NcclKernels>> kernels_;
  std::uint64_t creation_ns_ = 0;
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

std::unique_ptr<NcclCommunicator> make_communicator(const mpi::Comm& ranks,
                                                    const device::Device& device) {
  const std::string why = why_not_together(ranks, device);
  if (!why.empty()) throw Unavailable(why);
  require_nccl(ranks, loaded_nccl_version(), NCCL_VERSION_CODE);
  ncclUniqueId id{};
  const ncclResult_t code = ranks.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  const std::string bytes = ranks.broadcast(
      code == ncclSuccess ? std::string(reinterpret_cast<const char*>(&id), sizeof id)
                          : std::string());
  if (bytes.empty())
    throw Unavailable("NCCL cannot start on rank 0; set NCCL_DEBUG=WARN to see its message");
  return std::make_unique<NcclCommunicator>(ranks, bytes);
}

}  // namespace

std::unique_ptr<Communicator> make_nccl_communicator(const mpi::Comm& ranks,
                                                     device::Device& device) {
  return make_communicator(ranks, device);
}

std::uint64_t time_nccl_creation(const mpi::Comm& ranks, device::Device& device) {
  return make_communicator(ranks, device)->creation_ns();
}

std::string nccl_version() {
  const int version = loaded_nccl_version();
  return version == 0 ? std::string() : nccl_version_text(version);
}

}  // namespace scalemark::collective
