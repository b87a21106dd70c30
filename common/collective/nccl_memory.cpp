// SPDX-License-Identifier: Apache-2.0
// Registers memory with NCCL, and finds symmetric memory again by its address.
#include "common/collective/nccl_memory.hpp"

#include <iterator>
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

device::Buffer NcclMemory::allocate(std::size_t bytes, Registration how) {
  if (loaded_nccl_version() < NCCL_VERSION(2, 27, 0))
    throw Unavailable("NCCL registers memory from version 2.27 on");
  void* memory = nullptr;
  check_(ncclMemAlloc(&memory, bytes));
  Block& block = blocks_[static_cast<const char*>(memory)];
  block.bytes = bytes;
  device::Buffer buffer(memory, bytes, device::MemoryKind::device,
                        [this](void* data) { release(data); });
  interruption_.guard([&] {
    check_(how == Registration::local ? ncclCommRegister(comm_, memory, bytes, &block.handle)
                                      : ncclCommWindowRegister(comm_, memory, bytes, &block.window,
                                                               NCCL_WIN_COLL_SYMMETRIC));
  });
  if (how == Registration::symmetric && block.window == nullptr)
    throw Unavailable("NCCL has no symmetric memory on these GPUs");
  return buffer;
}

void NcclMemory::release(void* data) {
  const auto block = blocks_.extract(static_cast<const char*>(data)).mapped();
  if (is_usable_()) {
    if (block.handle != nullptr) ncclCommDeregister(comm_, block.handle);
    if (block.window != nullptr) ncclCommWindowDeregister(comm_, block.window);
  }
  ncclMemFree(data);
}

#else

device::Buffer NcclMemory::allocate(std::size_t, Registration) {
  throw Unavailable(
      "NCCL registers memory from version 2.27 on, and this was built with an older one");
}

#endif

WindowPlace NcclMemory::find(const void* data) const {
  const char* const at = static_cast<const char*>(data);
  const auto behind = blocks_.upper_bound(at);
  if (behind != blocks_.begin()) {
    const auto& [first, block] = *std::prev(behind);
    const auto offset = static_cast<std::size_t>(at - first);
    if (block.window != nullptr && offset < block.bytes) return {block.window, offset};
  }
  throw Unavailable("kernels over NCCL's device API work on symmetric memory only");
}

}  // namespace scalemark::collective
