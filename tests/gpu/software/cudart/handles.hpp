// SPDX-License-Identifier: Apache-2.0
// Objects that a program holds by an opaque pointer.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "tests/gpu/software/cudart/failure.hpp"

namespace scalemark::software_gpu {

/// Objects of type T by their handles. A handle that was never given out, or was taken back, fails
/// with `kWrong`.
template <typename T, typename Handle, cudaError_t kWrong = cudaErrorInvalidResourceHandle>
class Handles {
 public:
  static Handles& all() {
    static Handles& handles = *new Handles;
    return handles;
  }
  Handle add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    const auto handle = reinterpret_cast<Handle>(object.get());
    objects_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<T> find(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    require(found != objects_.end(), kWrong);
    return found->second;
  }
  std::shared_ptr<T> take(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto node = objects_.extract(handle);
    require(!node.empty(), kWrong);
    return std::move(node.mapped());
  }

 private:
  std::mutex mutex_;
  std::map<Handle, std::shared_ptr<T>> objects_;
};

}  // namespace scalemark::software_gpu
