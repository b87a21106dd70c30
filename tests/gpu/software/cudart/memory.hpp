// SPDX-License-Identifier: Apache-2.0
// Memory that the runtime knows: of the devices, page-locked, managed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace scalemark::software_gpu {

enum class Kind { device, pinned, registered, managed };

struct Block {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  Kind kind = Kind::device;
  int device = 0;  ///< whose it is, or which was current
};

/// Memory of one device. An address in it is of no use to the host: its pages have no access. The
/// bytes lie in a second mapping, at a constant distance, for copies and kernels.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t capacity);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Null if there is not enough. Addresses are used again as late as possible, so that an access
  /// after the release fails. The content is not zero.
  void* allocate(std::size_t bytes);
  void release(std::uintptr_t begin);
  std::size_t free_bytes();
  std::size_t capacity() const { return capacity_; }

  bool covers(std::uintptr_t address) const {
    return address >= begin_ && address < begin_ + extent_;
  }
  /// Where the byte lies: in a file that other processes may map, and in this process.
  int file() const { return file_; }
  std::uint64_t offset(std::uintptr_t address) const { return address - begin_; }
  void* shadow(std::uintptr_t address) const {
    return reinterpret_cast<void*>(address - begin_ + shadow_);
  }

 private:
  std::optional<std::uintptr_t> find_gap(std::size_t bytes) const;

  std::mutex mutex_;
  std::size_t capacity_, extent_, used_ = 0;
  std::uintptr_t begin_ = 0, shadow_ = 0, next_ = 0;
  std::map<std::uintptr_t, std::size_t> taken_;  ///< address to bytes, with the page behind
  int file_ = -1;
};

/// All blocks of this process. Its functions may be called by any thread.
class Blocks {
 public:
  static Blocks& all();

  /// False if the range overlaps a block.
  bool add(const Block& block);
  std::optional<Block> find(const void* data);
  /// Removes the block that begins at `data`, if it is of one of these kinds.
  std::optional<Block> take(const void* data, std::vector<Kind> kinds);

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;
};

/// Page-locked or managed memory: touched by this thread, whose memory policy places it. Null if
/// there is not enough.
void* allocate_host_pages(std::size_t bytes, bool touch);
void release_host_pages(const Block& block);

}  // namespace scalemark::software_gpu
