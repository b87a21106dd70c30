// SPDX-License-Identifier: Apache-2.0
// Hands work to streams: now, or as a node of the graph that a stream is captured into.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "tests/gpu/software/cudart/graph.hpp"

namespace scalemark::software_gpu {

/// Guards streams' captures, events and the order in which streams get work. No function waits for
/// a device while it holds this.
std::mutex& state();

/// Appends work to the stream behind what CUDA orders before it, or adds it to the capture; the
/// marker is empty then. Blocks while the stream's queue is full. Wants state() not to be locked.
Marker submit(const std::shared_ptr<Stream>& stream, Work work, std::vector<Marker> after = {});

/// Waits for the marker; fails if the device broke down.
void wait_for(const Marker& marker, int device);

}  // namespace scalemark::software_gpu
