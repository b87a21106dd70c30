// SPDX-License-Identifier: Apache-2.0
// What is enqueued in a CUDA stream as an operation: as it comes, or recorded as a graph.
#pragma once

#include <functional>
#include <memory>

#include "common/collective/operation.hpp"
#include "common/device/device.hpp"

namespace scalemark::collective {

/// `enqueue` gives its work to `stream` and throws for what the library refuses. Both must outlive
/// the operation.
std::unique_ptr<Operation> make_stream_operation(std::function<void()> enqueue,
                                                 device::Stream& stream);

/// Runs `enqueue` once, so that the library is ready, then records what it gives to `stream`, and
/// launches that as a CUDA graph. Throws Error.
std::unique_ptr<Operation> make_graph_operation(const std::function<void()>& enqueue,
                                                device::Stream& stream);

}  // namespace scalemark::collective
