// SPDX-License-Identifier: Apache-2.0
// Communication through MPI on host memory, or on device memory that MPI takes. What a timed call
// does beyond MPI's own work is one virtual call.
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/collective/dissemination.hpp"
#include "common/collective/mpi_calls.hpp"
#include "common/collective/staging.hpp"

namespace scalemark::collective {
namespace {

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(const mpi::Comm& ranks, bool takes_device_memory)
      : owned_(ranks.duplicate()),
        context_{.comm = owned_.get(),
                 .rank = owned_.rank(),
                 .size = owned_.size(),
                 .types = {},
                 .emulated = {}},
        barrier_(ranks),
        takes_device_memory_(takes_device_memory) {}

  std::string_view backend() const override { return "mpi"; }
  int rank() const override { return owned_.rank(); }
  int size() const override { return owned_.size(); }

  std::string why_not(const Call& call, device::MemoryKind kind) const override {
    if (call.mode == Mode::graph) return "MPI's operations are not recorded as CUDA graphs";
    if (kind != device::MemoryKind::device) return {};
    if (!takes_device_memory_) return "device memory needs a CUDA device";
    if (reduces(call.routine) && is_emulated(call.type, call.op))
      return fmt::format("MPI has no {} of {}, and ours cannot read device memory",
                         to_string(call.op), to_string(call.type));
    return {};
  }
  bool is_emulated(DType type, ReduceOp op) const override {
    return op == ReduceOp::avg || context_.emulated.of(type, op) != MPI_OP_NULL;
  }
  std::size_t reduced_part(std::size_t /*count*/) const override { return 0; }

  using Communicator::why_not;
  std::unique_ptr<Operation> prepare(const Call& call) override {
    await(call.stream);
    return bind_call(context_, call);
  }
  std::unique_ptr<Operation> prepare(std::span<const Transfer> transfers, DType type, Mode mode,
                                     device::Stream* stream) override {
    await(stream);
    return bind_transfers(context_, transfers, type, mode);
  }
  void barrier() override { barrier_.wait(); }

 private:
  /// What reads and writes without knowing the stream must find its earlier work done.
  void await(device::Stream* stream) const {
    if (takes_device_memory_ && stream != nullptr) stream->synchronize();
  }

  mpi::Comm owned_;
  MpiContext context_;
  DisseminationBarrier barrier_;
  bool takes_device_memory_;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator(const mpi::Comm& ranks, device::Device& device,
                                                    DeviceMemory memory) {
  const bool on_gpu = device.kind() == device::DeviceKind::cuda;
  const bool direct = on_gpu && memory == DeviceMemory::direct;
  auto communicator = std::make_unique<MpiCommunicator>(ranks, direct);
  if (!on_gpu || direct) return communicator;
  return make_staged(std::move(communicator), device);
}

}  // namespace scalemark::collective
