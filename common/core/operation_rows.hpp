// SPDX-License-Identifier: Apache-2.0
// Collects the rows that measure the operations of a training step.
#pragma once

#include <cstdint>
#include <utility>

#include "common/core/workload.hpp"

namespace scalemark {

/// Axis of rows on CPUs: bytes of other memory that a step uses between two uses of an operand.
/// They decide what the operation finds in the caches.
inline constexpr const char* kReuseDistance = "reuse_distance";

/// No more is read before a call.
inline constexpr std::int64_t kMaxReuseDistance = std::int64_t{1} << 30;

/// Axes of a row of micro/elementwise beside `axes`: a sum of two tensors of so many elements, by
/// its operation `add` or `accumulate`.
Point sum_of_elements(Point axes, const char* operation, std::int64_t elements);

/// Operations with the same row are one part of the workload. Rows of CPUs have a reuse distance,
/// of at most kMaxReuseDistance; those of GPUs have none.
class OperationRows {
 public:
  /// Of a training at this point.
  explicit OperationRows(const Point& training) : on_cpu_(training.text("device") == "cpu") {}

  /// Adds `part.count` calls; none if that is 0.
  void add(WorkloadPart part, std::int64_t distance);

  /// Adds an operation with its gradients. On a CPU the two passes are rows of their own: a step
  /// has them far apart, so that each finds other things in the caches.
  void add_passes(WorkloadPart part, std::int64_t forward, std::int64_t backward);

  /// All that was added happens so many times.
  void repeat(std::int64_t times);

  /// All of them; none are left.
  Workload take() { return std::exchange(workload_, {}); }

 private:
  bool on_cpu_;
  Workload workload_;
};

}  // namespace scalemark
