// SPDX-License-Identifier: Apache-2.0
// Moments of a training step, on the host or on a GPU.
#pragma once

#include <cstdint>
#include <optional>

#include <c10/core/Device.h>
#include <c10/core/Event.h>

namespace scalemark::torch_support {

/// A moment of the host, or of the current stream of a GPU.
class Moment {
 public:
  explicit Moment(c10::Device device);
  /// Makes this the present moment. A GPU is not waited for.
  void note();
  /// Seconds from `start` to this moment. Waits for a GPU to reach it.
  double since(const Moment& start) const;

 private:
  c10::Device device_;
  std::uint64_t host_ns_ = 0;
  mutable std::optional<c10::Event> event_;
};

}  // namespace scalemark::torch_support
