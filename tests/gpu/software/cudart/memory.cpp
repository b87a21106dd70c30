// SPDX-License-Identifier: Apache-2.0
// Reserves addresses for device memory, keeps its bytes elsewhere, and lists all blocks.
#include "tests/gpu/software/cudart/memory.hpp"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/gpu/software/cudart/failure.hpp"

namespace scalemark::software_gpu {
namespace {

/// Addresses per byte of memory: as many allocations pass before an address comes back.
constexpr std::size_t kAddressesPerByte = 16;
/// What no kernel wrote is this, not zero. Not the whole of a large block, for time's sake.
constexpr int kGarbage = 0xA5;
constexpr std::size_t kGarbageBytes = std::size_t{4} << 20;

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }

std::uintptr_t map(std::size_t bytes, int flags, int file) {
  void* at = mmap(nullptr, bytes, PROT_NONE, flags | MAP_NORESERVE, file, 0);
  require(at != MAP_FAILED, cudaErrorInitializationError);
  return reinterpret_cast<std::uintptr_t>(at);
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t capacity)
    : capacity_(capacity), extent_(kAddressesPerByte * capacity) {
  file_ = memfd_create("software-gpu", MFD_CLOEXEC);
  require(file_ >= 0 && ftruncate(file_, static_cast<off_t>(extent_)) == 0,
          cudaErrorInitializationError);
  begin_ = map(extent_, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  shadow_ = map(extent_, MAP_SHARED, file_);
  next_ = begin_;
}

/// The first gap at or behind next_, or from the start again.
std::optional<std::uintptr_t> DeviceMemory::find_gap(std::size_t bytes) const {
  for (std::uintptr_t at : {next_, begin_}) {
    auto above = taken_.lower_bound(at);
    if (above != taken_.begin()) {
      const auto below = std::prev(above);
      at = std::max(at, below->first + below->second);
    }
    while (above != taken_.end() && above->first - at < bytes) {
      at = above->first + above->second;
      ++above;
    }
    if (begin_ + extent_ - at >= bytes) return at;
  }
  return std::nullopt;
}

void* DeviceMemory::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > capacity_ || whole_pages(bytes) > capacity_ - used_) return nullptr;
  const std::size_t with_guard = whole_pages(bytes) + page();
  const auto at = find_gap(with_guard);
  if (!at) return nullptr;
  if (mprotect(shadow(*at), whole_pages(bytes), PROT_READ | PROT_WRITE) != 0) return nullptr;
  taken_[*at] = with_guard;
  next_ = *at + with_guard;
  used_ += whole_pages(bytes);
  std::memset(shadow(*at), kGarbage, std::min(bytes, kGarbageBytes));
  return reinterpret_cast<void*>(*at);
}

void DeviceMemory::release(std::uintptr_t begin) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(begin);
  const std::size_t bytes = found->second - page();
  mprotect(shadow(begin), bytes, PROT_NONE);
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin - begin_),
            static_cast<off_t>(bytes));
  used_ -= bytes;
  taken_.erase(found);
}

std::size_t DeviceMemory::free_bytes() {
  const std::lock_guard lock(mutex_);
  return capacity_ - used_;
}

Blocks& Blocks::all() {
  static Blocks& blocks = *new Blocks;  // never destroyed: threads may outlive main()
  return blocks;
}

bool Blocks::add(const Block& block) {
  const std::lock_guard lock(mutex_);
  const auto above = blocks_.lower_bound(block.begin);
  if (above != blocks_.end() && above->first - block.begin < block.bytes) return false;
  if (above != blocks_.begin()) {
    const Block& below = std::prev(above)->second;
    if (block.begin - below.begin < below.bytes) return false;
  }
  blocks_[block.begin] = block;
  return true;
}

std::optional<Block> Blocks::find(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::lock_guard lock(mutex_);
  const auto above = blocks_.upper_bound(address);
  if (above == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(above)->second;
  return address - block.begin < block.bytes ? std::optional(block) : std::nullopt;
}

std::optional<Block> Blocks::take(const void* data, std::vector<Kind> kinds) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(data));
  if (found == blocks_.end() || std::ranges::find(kinds, found->second.kind) == kinds.end())
    return std::nullopt;
  const Block block = found->second;
  blocks_.erase(found);
  return block;
}

void* allocate_host_pages(std::size_t bytes, bool touch) {
  const auto installed = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page();
  if (bytes > installed) return nullptr;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (touch ? MAP_POPULATE : 0);
  void* at = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, flags, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

void release_host_pages(const Block& block) {
  munmap(reinterpret_cast<void*>(block.begin), whole_pages(block.bytes));
}

}  // namespace scalemark::software_gpu
