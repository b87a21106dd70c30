// SPDX-License-Identifier: Apache-2.0
// Copies between a device and the host buffers that MPI sees.
#include "common/collective/staging.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "common/collective/wrapped_operation.hpp"

namespace scalemark::collective {
namespace {

using device::Buffer;
using device::Stream;

/// A stretch of memory that an operation reads or writes.
struct Region {
  char* begin = nullptr;
  std::size_t bytes = 0;
  char* end() const { return begin + bytes; }
};

bool touch(const Region& a, const Region& b) { return a.begin <= b.end() && b.begin <= a.end(); }

/// One copy between device and host.
struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

/// Pinned host memory in the place of device memory, and the copies that keep it so.
class Stage {
 public:
  explicit Stage(device::Device& device) : device_(device) {}

  /// Host memory in the place of what is read and what is written, as one block where the two
  /// touch; memory that the host can use stays as it is.
  std::pair<char*, char*> replace(const Region& in, const Region& out) {
    if (!touch(in, out)) return {replace_read(in), replace_written(out)};
    Region both{std::min(in.begin, out.begin), 0};
    both.bytes = static_cast<std::size_t>(std::max(in.end(), out.end()) - both.begin);
    char* host = place(both);
    return {read(in, host + (in.begin - both.begin)),
            written(out, host + (out.begin - both.begin))};
  }

  char* replace_read(const Region& region) { return read(region, place(region)); }
  char* replace_written(const Region& region) { return written(region, place(region)); }

  void before(Stream& stream) { copy_all(before_, stream); }
  void after(Stream& stream) {
    if (!after_.empty()) copy_all(after_, stream);
  }

 private:
  /// The memory itself, or a pinned block in its place.
  char* place(const Region& region) {
    if (region.bytes == 0 || !device_.is_device_memory(region.begin)) return region.begin;
    buffers_.push_back(device_.allocate(region.bytes, device::MemoryKind::pinned));
    return buffers_.back().as<char>();
  }
  char* read(const Region& region, char* host) {
    if (host != region.begin && region.bytes > 0)
      before_.push_back({host, region.begin, region.bytes});
    return host;
  }
  char* written(const Region& region, char* host) {
    if (host != region.begin && region.bytes > 0)
      after_.push_back({region.begin, host, region.bytes});
    return host;
  }
  void copy_all(const std::vector<Copy>& copies, Stream& stream) {
    for (const Copy& one : copies) device_.copy(one.to, one.from, one.bytes, stream);
    stream.synchronize();
  }

  device::Device& device_;
  std::vector<Buffer> buffers_;
  std::vector<Copy> before_, after_;
};

/// Copies in, the operation of the host, copies out.
class StagedOperation final : public WrappedOperation {
 public:
  StagedOperation(Stage stage, std::unique_ptr<Operation> host, Stream& stream)
      : WrappedOperation(std::move(host)), stage_(std::move(stage)), stream_(stream) {}

 private:
  void before() override { stage_.before(stream_); }
  void after() override { stage_.after(stream_); }
  Stage stage_;
  Stream& stream_;
};

class StagedCommunicator final : public Communicator {
 public:
  StagedCommunicator(std::unique_ptr<Communicator> host, device::Device& device)
      : host_(std::move(host)), device_(device) {}

  std::string_view backend() const override { return host_->backend(); }
  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  using Communicator::why_not;
  std::string why_not(const Call& call, device::MemoryKind kind) const override {
    if (kind == device::MemoryKind::device) return host_->why_not(call, device::MemoryKind::pinned);
    return host_->why_not(call, kind);
  }
  bool is_emulated(DType type, ReduceOp op) const override { return host_->is_emulated(type, op); }
  std::size_t reduced_part(std::size_t count) const override { return host_->reduced_part(count); }

  std::unique_ptr<Operation> prepare(const Call& call) override {
    if (call.stream == nullptr) return host_->prepare(call);
    Stage stage(device_);
    Call staged = call;
    std::tie(staged.in, staged.out) = stage.replace(
        {static_cast<char*>(const_cast<void*>(call.in)),
         in_elements(call, rank(), size()) * size_of(call.type)},
        {static_cast<char*>(call.out), out_elements(call, rank(), size()) * size_of(call.type)});
    return std::make_unique<StagedOperation>(std::move(stage), host_->prepare(staged),
                                             *call.stream);
  }
  std::unique_ptr<Operation> prepare(std::span<const Transfer> transfers, DType type, Mode mode,
                                     Stream* stream) override {
    if (stream == nullptr) return host_->prepare(transfers, type, mode, nullptr);
    Stage stage(device_);
    std::vector<Transfer> staged(transfers.begin(), transfers.end());
    for (Transfer& one : staged) {
      const Region region{static_cast<char*>(one.data), one.count * size_of(type)};
      one.data = one.direction == Transfer::Direction::send ? stage.replace_read(region)
                                                            : stage.replace_written(region);
    }
    return std::make_unique<StagedOperation>(std::move(stage),
                                             host_->prepare(staged, type, mode, nullptr), *stream);
  }
  void barrier() override { host_->barrier(); }

 private:
  std::unique_ptr<Communicator> host_;
  device::Device& device_;
};

}  // namespace

std::unique_ptr<Communicator> make_staged(std::unique_ptr<Communicator> host,
                                          device::Device& device) {
  return std::make_unique<StagedCommunicator>(std::move(host), device);
}

}  // namespace scalemark::collective
