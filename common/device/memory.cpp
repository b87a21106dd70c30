// SPDX-License-Identifier: Apache-2.0
// Names of memory kinds, and the owner of a memory block.
#include "common/device/memory.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/device/device.hpp"

namespace scalemark::device {
namespace {

// In the order of the enumerators of MemoryKind.
constexpr std::array<std::string_view, 7> kNames = {
    "pageable", "pinned", "registered", "write_combined", "managed", "huge_pages", "device"};

}  // namespace

std::string_view to_string(DeviceKind kind) { return kind == DeviceKind::cuda ? "cuda" : "cpu"; }

std::string_view to_string(MemoryKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

MemoryKind memory_kind_from(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<MemoryKind>(i);
  }
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  throw UsageError(fmt::format("unknown kind of memory '{}' (available: {})",
                               text::printable(text, 64), text::join(names, ", ")));
}

Buffer::Buffer(void* data, std::size_t bytes, MemoryKind kind, Release release)
    : data_(data), bytes_(bytes), kind_(kind), release_(std::move(release)) {}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      kind_(other.kind_),
      release_(std::exchange(other.release_, nullptr)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  Buffer taken(std::move(other));
  std::swap(data_, taken.data_);
  std::swap(bytes_, taken.bytes_);
  std::swap(kind_, taken.kind_);
  std::swap(release_, taken.release_);
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr && release_) release_(data_);
}

}  // namespace scalemark::device
