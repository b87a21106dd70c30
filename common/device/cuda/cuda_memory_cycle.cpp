// SPDX-License-Identifier: Apache-2.0
// Allocates and frees memory with the CUDA runtime.
#include <algorithm>

#include <cuda_runtime_api.h>

#include "common/base/error.hpp"
#include "common/device/cuda/check.hpp"
#include "common/device/host/host_memory.hpp"
#include "common/device/memory_cycle.hpp"

namespace scalemark::device {
namespace {

class AllocationCycle final : public MemoryCycle {
 public:
  AllocationCycle(MemoryKind kind, std::size_t bytes)
      : kind_(kind), bytes_(kind == MemoryKind::device ? bytes : whole_pages(bytes, false)) {
    if (kind_ != MemoryKind::device) require_host_memory(bytes_);
  }
  ~AllocationCycle() override {
    if (data_ != nullptr) release();
  }
  AllocationCycle(const AllocationCycle&) = delete;
  AllocationCycle& operator=(const AllocationCycle&) = delete;

  Steps steps() const override {
    const std::size_t page = page_bytes(false);
    switch (kind_) {
      case MemoryKind::device:
        return {.get = "cudaMalloc", .give_back = "cudaFree"};
      case MemoryKind::managed:
        return {.get = "cudaMallocManaged, a write of the host to each page",
                .give_back = "cudaFree",
                .page = page,
                .zeroes = true};
      default:
        return {.get = "cudaHostAlloc", .give_back = "cudaFreeHost", .page = page, .zeroes = true};
    }
  }
  void get() override {
    switch (kind_) {
      case MemoryKind::device:
        return check(cudaMalloc(&data_, bytes_));
      case MemoryKind::managed:
        check(cudaMallocManaged(&data_, bytes_, cudaMemAttachGlobal));
        return touch_pages(data_, bytes_, page_bytes(false));
      default:
        check(cudaHostAlloc(&data_, bytes_,
                            kind_ == MemoryKind::write_combined ? cudaHostAllocWriteCombined
                                                                : cudaHostAllocDefault));
    }
  }
  void give_back() override {
    check(release());
    data_ = nullptr;
  }
  void* data() const override { return data_; }

 private:
  cudaError_t release() {
    const bool by_device = kind_ == MemoryKind::device || kind_ == MemoryKind::managed;
    return by_device ? cudaFree(data_) : cudaFreeHost(data_);
  }
  MemoryKind kind_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

class RegisteringCycle final : public MemoryCycle {
 public:
  explicit RegisteringCycle(std::size_t bytes)
      : pages_(allocate_host(whole_pages(bytes, false), MemoryKind::pageable, -1)) {}
  ~RegisteringCycle() override {
    if (registered_) cudaHostUnregister(pages_.data());
  }
  RegisteringCycle(const RegisteringCycle&) = delete;
  RegisteringCycle& operator=(const RegisteringCycle&) = delete;

  Steps steps() const override {
    return {.get = "cudaHostRegister of touched pages",
            .give_back = "cudaHostUnregister",
            .page = page_bytes(false)};
  }
  void get() override {
    check(cudaHostRegister(pages_.data(), pages_.bytes(), cudaHostRegisterDefault));
    registered_ = true;
  }
  void give_back() override {
    check(cudaHostUnregister(pages_.data()));
    registered_ = false;
  }
  void* data() const override { return pages_.data(); }

 private:
  Buffer pages_;
  bool registered_ = false;
};

}  // namespace

std::unique_ptr<MemoryCycle> make_cuda_memory_cycle(Device& device, MemoryKind kind,
                                                    std::size_t bytes) {
  const std::string why = device.why_not(kind);
  if (!why.empty()) throw Unavailable(why);
  device.synchronize();  // makes the device current and waits until it is idle
  const std::size_t some = std::max<std::size_t>(bytes, 1);
  switch (kind) {
    case MemoryKind::registered:
      return std::make_unique<RegisteringCycle>(some);
    case MemoryKind::pageable:
    case MemoryKind::huge_pages:
      return make_mapping_cycle(some, kind == MemoryKind::huge_pages);
    default:
      return std::make_unique<AllocationCycle>(kind, some);
  }
}

}  // namespace scalemark::device
