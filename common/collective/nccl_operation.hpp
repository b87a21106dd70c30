// SPDX-License-Identifier: Apache-2.0
// What is enqueued in a CUDA stream as an operation: as it comes, or recorded as a graph.
#pragma once

#include <functional>
#include <memory>

#include "common/collective/interruption.hpp"
#include "common/collective/operation.hpp"
#include "common/device/device.hpp"

namespace scalemark::collective {

/// What operations of a stream need from their library. All of it must outlive them.
struct StreamLibrary {
  device::Stream& stream;
  Interruption& interruption;   ///< guards calls
  std::function<void()> check;  ///< called after each wait: throws for what the library reports
};

/// `enqueue` gives its work to the stream and throws for what the library refuses.
std::unique_ptr<Operation> make_stream_operation(std::function<void()> enqueue,
                                                 StreamLibrary library);

/// Runs `enqueue` once, so that the library is ready, then records what it gives to the stream, and
/// launches that as a CUDA graph. Throws Error.
std::unique_ptr<Operation> make_graph_operation(const std::function<void()>& enqueue,
                                                StreamLibrary library);

}  // namespace scalemark::collective
