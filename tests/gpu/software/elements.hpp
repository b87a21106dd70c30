// SPDX-License-Identifier: Apache-2.0
// Elements of arrays that lie anywhere, aligned or not.
#pragma once

#include <cstddef>
#include <cstring>

namespace scalemark::software_gpu {

template <typename T>
T load(const void* data, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(void* data, std::size_t index, T value) {
  std::memcpy(static_cast<std::byte*>(data) + index * sizeof(T), &value, sizeof(T));
}

}  // namespace scalemark::software_gpu
