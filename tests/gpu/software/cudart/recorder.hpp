// SPDX-License-Identifier: Apache-2.0
// What a profiler is told of: calls, kernels and copies, with their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace scalemark::software_gpu {

/// Where a copy begins and ends: the number of a device, or -1 for the host.
struct CopyEnds {
  int from = -1, to = -1;
};

/// Told by the threads that did the work, when it is done. Times are those of now_ns().
struct Listener {
  void (*call)(const char* name, std::uint64_t start, std::uint64_t end);
  void (*kernel)(const char* name, int device, std::uint64_t start, std::uint64_t end);
  void (*copy)(CopyEnds ends, std::size_t bytes, std::uint64_t start, std::uint64_t end);
};

/// From now on this one is told; null: nobody. It must live until the process ends.
void listen(const Listener* listener);
/// Nanoseconds of a steady clock, never 0.
std::uint64_t now_ns();

using Work = std::function<void()>;

/// The same work, which tells the listener when it is done. `name` must live as long as the
/// process.
Work recorded_kernel(const char* name, int device, Work work);
Work recorded_copy(CopyEnds ends, std::size_t bytes, Work work);

/// The call of an entry point, from here to its end.
class RecordedCall {
 public:
  explicit RecordedCall(const char* name);
  ~RecordedCall();
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;

 private:
  const char* name_;
  const Listener* listener_;
  std::uint64_t start_;
};

}  // namespace scalemark::software_gpu
