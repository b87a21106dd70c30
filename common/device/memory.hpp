// SPDX-License-Identifier: Apache-2.0
// Kinds of memory, and the owner of a memory block.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace scalemark::device {

enum class MemoryKind {
  pageable,        ///< ordinary host memory, page-aligned, touched
  pinned,          ///< page-locked host memory allocated by CUDA
  registered,      ///< pageable host memory, page-locked afterwards
  write_combined,  ///< pinned and write-combining
  managed,         ///< CUDA managed memory: migrates between host and device
  huge_pages,      ///< host memory in 2 MiB pages
  device,          ///< the GPU's own memory
};
std::string_view to_string(MemoryKind kind);
/// Throws UsageError that lists the kinds.
MemoryKind memory_kind_from(std::string_view text);

/// Move-only owner of a memory block; it calls the function that frees the block.
class Buffer {
 public:
  using Release = std::function<void(void*)>;
  Buffer() = default;
  Buffer(void* data, std::size_t bytes, MemoryKind kind, Release release);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  void* data() const { return data_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }
  MemoryKind kind() const { return kind_; }
  bool on_host() const { return kind_ != MemoryKind::device; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  MemoryKind kind_ = MemoryKind::pageable;
  Release release_;
};

}  // namespace scalemark::device
