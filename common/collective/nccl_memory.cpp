// SPDX-License-Identifier: Apache-2.0
// Registers memory with NCCL, and finds symmetric memory again by its address.
#include "common/collective/nccl_memory.hpp"

#include <iterator>
#include <memory>
#include <utility>

#include "common/base/error.hpp"
#include "common/collective/nccl_calls.hpp"

namespace scalemark::collective {

NcclMemory::NcclMemory(ncclComm_t comm, Interruption& interruption,
                       std::function<void(ncclResult_t)> check, std::function<bool()> is_usable)
    : comm_(comm),
      interruption_(interruption),
      check_(std::move(check)),
      is_usable_(std::move(is_usable)) {}

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)

struct NcclMemory::Registered {
  void* handle = nullptr;
  ncclWindow_t window = nullptr;
};

device::Buffer NcclMemory::allocate(std::size_t bytes, Registration how) {
  if (loaded_nccl_version() < NCCL_VERSION(2, 27, 0))
    throw Unavailable("NCCL registers memory from version 2.27 on");
  const auto known = std::make_shared<Registered>();
  void* memory = nullptr;
  check_(ncclMemAlloc(&memory, bytes));
  device::Buffer buffer(memory, bytes, device::MemoryKind::device, [this, known](void* data) {
    windows_.erase(static_cast<const char*>(data));
    if (is_usable_()) {
      if (known->handle != nullptr) ncclCommDeregister(comm_, known->handle);
      if (known->window != nullptr) ncclCommWindowDeregister(comm_, known->window);
    }
    ncclMemFree(data);
  });
  interruption_.guard([&] {
    check_(how == Registration::local ? ncclCommRegister(comm_, memory, bytes, &known->handle)
                                      : ncclCommWindowRegister(comm_, memory, bytes, &known->window,
                                                               NCCL_WIN_COLL_SYMMETRIC));
  });
  if (how == Registration::symmetric) {
    if (known->window == nullptr) throw Unavailable("NCCL has no symmetric memory on these GPUs");
    windows_[static_cast<const char*>(memory)] = {bytes, known->window};
  }
  return buffer;
}

#else

device::Buffer NcclMemory::allocate(std::size_t, Registration) {
  throw Unavailable(
      "NCCL registers memory from version 2.27 on, and this was built with an older one");
}

#endif

WindowPlace NcclMemory::find(const void* data) const {
  const char* const at = static_cast<const char*>(data);
  const auto behind = windows_.upper_bound(at);
  if (behind != windows_.begin()) {
    const auto& [first, window] = *std::prev(behind);
    const auto offset = static_cast<std::size_t>(at - first);
    if (offset < window.bytes) return {window.window, offset};
  }
  throw Unavailable("kernels over NCCL's device API work on symmetric memory only");
}

}  // namespace scalemark::collective
