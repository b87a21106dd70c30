// SPDX-License-Identifier: Apache-2.0
// Operations that a GPU is given ahead of time: what they cost the GPU, and what the host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "common/core/case.hpp"
#include "common/device/device.hpp"

namespace scalemark::micro {

/// A batch of operations behind a blocking kernel, in ns: by the device's events, and of the host's
/// calls.
struct EnqueuedBatch {
  std::uint64_t device_ns = 0, issue_ns = 0;
};

/// Collective. Records event_time, the time of an operation on the device, and issue_time, that of
/// the host to enqueue it, from batches of `operations`. `attempt` returns nothing if the blocking
/// kernel gave up; such samples are repeated and counted (fact discarded_samples).
void record_enqueued(Case& c, int operations,
                     const std::function<std::optional<EnqueuedBatch>()>& attempt);

/// Collective, after measure(). The same for an operation that `start` enqueues in `stream`. Behind
/// the blocking kernel the device finds up to 16 of them, of at most 10 ms together, and does not
/// wait for the host. Where `start` waits for the device there is no such time, and fact
/// `waits_for_gpu` says so. Nothing is measured on the host.
void measure_enqueued(Case& c, const std::function<void()>& start, device::Stream& stream);

/// The stream that LibTorch uses where none was chosen: CUDA's default one.
class DefaultStream final : public device::Stream {
 public:
  explicit DefaultStream(device::Device& device) : device_(device) {}
  void synchronize() override { device_.synchronize(); }
  void* native() const override { return nullptr; }

 private:
  device::Device& device_;
};

}  // namespace scalemark::micro
