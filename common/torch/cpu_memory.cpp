// SPDX-License-Identifier: Apache-2.0
// A caching allocator for tensors on the CPU.
#include "common/torch/cpu_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <sys/mman.h>
#include <unistd.h>

namespace scalemark::torch_support {
namespace {

constexpr std::size_t kAlignment = 64;                   ///< LibTorch's
constexpr std::size_t kHugePage = std::size_t{2} << 20;  ///< of x86-64, in bytes
constexpr std::size_t kLarge = kHugePage;                ///< from this size on, own pages
constexpr std::size_t kOffsets = 31;   ///< start offsets that large blocks cycle through
constexpr std::uint8_t kPriority = 1;  ///< priority of this allocator; LibTorch's own has 0

/// Stored in front of each block's data.
struct alignas(kAlignment) Header {
  std::byte* base;         ///< address to free
  std::size_t mapped;      ///< bytes mapped at base; 0: from malloc
  std::size_t used;        ///< bytes asked for
  std::size_t size_class;  ///< SizeClass::index
};

/// Four size classes per power of two: at most a quarter of a block is unused.
struct SizeClass {
  std::size_t index, capacity;
  explicit SizeClass(std::size_t bytes) {
    const std::size_t units = (bytes + kAlignment - 1) / kAlignment;
    const auto width = static_cast<std::size_t>(std::bit_width(units));
    const std::size_t shift = width > 3 ? width - 3 : 0;
    const std::size_t rounded = (units + (std::size_t{1} << shift) - 1) >> shift;  // 1..8
    index = shift * 8 + rounded;
    capacity = (rounded << shift) * kAlignment;
  }
};
constexpr std::size_t kClasses = 64 * 8;

class CachingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &release, c10::Device(c10::kCPU)};
    void* data = take(bytes);
    return {data, data, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    default_copy_data(to, from, count);
  }

  void begin() {
    const std::lock_guard lock(mutex_);
    caching_ = true;
    memory_ = {};
  }
  void end() {
    const std::lock_guard lock(mutex_);
    caching_ = false;
    clear();
  }
  CpuMemory memory() {
    const std::lock_guard lock(mutex_);
    return memory_;
  }

 private:
  static void release(void* data);

  void* take(std::size_t bytes) {
    const SizeClass wanted(bytes);
    const std::lock_guard lock(mutex_);
    std::vector<Header*>& free = free_[wanted.index];
    Header* header = nullptr;
    if (!free.empty()) {
      header = free.back();
      free.pop_back();
    } else {
      header = get(wanted);
      if (header == nullptr) {
        clear();
        header = get(wanted);
      }
      TORCH_CHECK_WITH(OutOfMemoryError, header != nullptr, "can't allocate memory: ", bytes,
                       " bytes on the CPU");
    }
    header->used = bytes;
    memory_.in_use += bytes;
    memory_.peak = std::max(memory_.peak, memory_.in_use);
    return header + 1;
  }

  void give_back(void* data) {
    Header* header = static_cast<Header*>(data) - 1;
    const std::lock_guard lock(mutex_);
    // Tensors of an earlier scope were not counted in this one.
    memory_.in_use -= std::min<std::uint64_t>(memory_.in_use, header->used);
    if (caching_)
      free_[header->size_class].push_back(header);
    else
      put(header);
  }

  /// Allocates from the system; nullptr if there is no memory.
  Header* get(const SizeClass& wanted) {
    const bool large = wanted.capacity >= kLarge;
    // Without offsets all large blocks would start at the same place of a page and compete for the
    // same cache sets.
    const std::size_t offset = large ? sizeof(Header) * (large_blocks_++ % kOffsets) : 0;
    const std::size_t total = sizeof(Header) + offset + wanted.capacity;
    std::byte* base =
        large ? map(total) : static_cast<std::byte*>(std::aligned_alloc(kAlignment, total));
    if (base == nullptr) return nullptr;
    return new (base + offset) Header{base, large ? total : 0, 0, wanted.index};
  }

  static void put(const Header* header) {
    if (header->mapped > 0)
      munmap(header->base, header->mapped);
    else
      std::free(header->base);
  }

  /// Maps memory that starts at a huge page. A remainder smaller than a huge page lies on small
  /// pages.
  static std::byte* map(std::size_t bytes) {
    const std::size_t reserved = bytes + kHugePage;
    void* start = mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return nullptr;
    auto* first = static_cast<std::byte*>(start);
    const std::size_t skip =
        (kHugePage - reinterpret_cast<std::uintptr_t>(first) % kHugePage) % kHugePage;
    std::byte* base = first + skip;
    if (skip > 0) munmap(first, skip);
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t kept = (bytes + page - 1) / page * page;
    if (reserved - skip > kept) munmap(base + kept, reserved - skip - kept);
    madvise(base, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // if refused: small pages
    return base;
  }

  void clear() {
    for (std::vector<Header*>& free : free_) {
      for (const Header* header : free) put(header);
      free = {};
    }
  }

  std::mutex mutex_;
  std::array<std::vector<Header*>, kClasses> free_;
  bool caching_ = false;
  std::size_t large_blocks_ = 0;
  CpuMemory memory_;
};

/// Never destroyed: tensors in static variables outlive every other object.
CachingAllocator& allocator() {
  static auto* const instance = new CachingAllocator;
  return *instance;
}

void CachingAllocator::release(void* data) {
  if (data != nullptr) allocator().give_back(data);
}

}  // namespace

CpuMemoryScope::CpuMemoryScope() {
  allocator().begin();
  c10::SetCPUAllocator(&allocator(), kPriority);
}

CpuMemoryScope::~CpuMemoryScope() {
  c10::SetCPUAllocator(c10::GetDefaultCPUAllocator(), kPriority);
  allocator().end();
}

CpuMemory cpu_memory() { return allocator().memory(); }

}  // namespace scalemark::torch_support
