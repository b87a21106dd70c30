// SPDX-License-Identifier: Apache-2.0
// Communication through MPI on host memory. What a timed call does beyond MPI's own work is one
// virtual call.
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
  explicit MpiCommunicator(const mpi::Comm& ranks)
      : owned_(ranks.duplicate()),
        context_{.comm = owned_.get(),
                 .rank = owned_.rank(),
                 .size = owned_.size(),
                 .types = {},
                 .emulated = {}},
        barrier_(ranks) {}

  std::string_view backend() const override { return "mpi"; }
  int rank() const override { return owned_.rank(); }
  int size() const override { return owned_.size(); }

  std::string why_not(const Call& call, device::MemoryKind kind) const override {
    if (kind == device::MemoryKind::device) return "device memory needs a CUDA device";
    if (call.mode == Mode::graph) return "MPI's operations are not recorded as CUDA graphs";
    return {};
  }
  bool is_emulated(DType type, ReduceOp op) const override {
    return op == ReduceOp::avg || context_.emulated.of(type, op) != MPI_OP_NULL;
  }
  std::size_t reduced_part(std::size_t /*count*/) const override { return 0; }

  using Communicator::why_not;
  std::unique_ptr<Operation> prepare(const Call& call) override {
    return bind_call(context_, call);
  }
  std::unique_ptr<Operation> prepare(std::span<const Transfer> transfers, DType type, Mode mode,
                                     device::Stream* /*stream*/) override {
    return bind_transfers(context_, transfers, type, mode);
  }
  void barrier() override { barrier_.wait(); }

 private:
  mpi::Comm owned_;
  MpiContext context_;
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
