// SPDX-License-Identifier: Apache-2.0
// The host's clock, or events of a stream.
#include "common/torch/parallel/moment.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "common/base/clock.hpp"

namespace scalemark::torch_support {

Moment::Moment(c10::Device device) : device_(device) {
  // This flag makes events that have times.
  if (!device.is_cpu()) event_.emplace(device.type(), c10::EventFlag::BACKEND_DEFAULT);
}

void Moment::note() {
  if (event_)
    event_->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  else
    host_ns_ = now_ns();
}

double Moment::since(const Moment& start) const {
  if (!event_) return static_cast<double>(host_ns_ - start.host_ns_) * 1e-9;
  event_->synchronize();
  return start.event_->elapsedTime(*event_) * 1e-3;
}

}  // namespace scalemark::torch_support
