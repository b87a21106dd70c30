// SPDX-License-Identifier: Apache-2.0
// GPU work recorded once as a CUDA graph and launched repeatedly.
#pragma once

#include <functional>
#include <memory>

#include <c10/core/Device.h>

namespace scalemark::torch_support {

/// A graph always launches the same kernels on the same memory. Work that waits for the device, or
/// depends on its results on the host, cannot be recorded.
class StepGraph {
 public:
  virtual ~StepGraph() = default;
  /// Runs `work` eagerly on the stream that capture() uses, so that allocators, libraries and
  /// autograd settle before the capture.
  virtual void warm_up(const std::function<void()>& work) = 0;
  /// Records what `work` launches, without running it. Memory that it allocates belongs to the
  /// graph. Throws c10::Error if the work cannot be recorded.
  virtual void capture(const std::function<void()>& work) = 0;
  /// Launches the recorded work, ordered with the current stream.
  virtual void launch() = 0;
};

/// `beside`: another graph on the device, never launched at the same time. Both share a stream and
/// memory, so tensors made in one are invalid after the other ran. Throws Unavailable if this
/// build's LibTorch has no CUDA support.
std::unique_ptr<StepGraph> make_step_graph(c10::Device device, const StepGraph* beside = nullptr);

}  // namespace scalemark::torch_support
