// SPDX-License-Identifier: Apache-2.0
// Work on a GPU, recorded once as a CUDA graph and launched again as a whole.
#pragma once

#include <functional>
#include <memory>

#include <c10/core/Device.h>

namespace scalemark::torch_support {

/// What a graph launches is fixed: the same kernels on the same memory. Work that waits for the
/// device, or that depends on its results on the host, cannot be recorded.
class StepGraph {
 public:
  virtual ~StepGraph() = default;
  /// Runs `work` as it is, on the stream that capture() uses: allocators, libraries and autograd
  /// settle before they are recorded.
  virtual void warm_up(const std::function<void()>& work) = 0;
  /// Records what `work` launches, without running it. Memory that it allocates belongs to the
  /// graph. Throws c10::Error if it cannot be recorded.
  virtual void capture(const std::function<void()>& work) = 0;
  /// Launches what was recorded, in order with the current stream.
  virtual void launch() = 0;
};

/// `beside`: another graph on the device, which is never launched at the same time; they share a
/// stream and memory, so that nothing that is made in one may be used behind the other. Throws
/// Unavailable in a build whose LibTorch has no CUDA part.
std::unique_ptr<StepGraph> make_step_graph(c10::Device device, const StepGraph* beside = nullptr);

}  // namespace scalemark::torch_support
