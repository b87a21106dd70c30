// SPDX-License-Identifier: Apache-2.0
// Device memory through a communicator that only knows host memory.
#pragma once

#include <memory>

#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"

namespace scalemark::collective {

/// A communicator that copies device memory to pinned host memory of `device`, lets `host` do the
/// work, and copies back. Host memory goes straight to `host`, once all earlier work of the stream
/// is done.
std::unique_ptr<Communicator> make_staged(std::unique_ptr<Communicator> host,
                                          device::Device& device);

}  // namespace scalemark::collective
