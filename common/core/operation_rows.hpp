// SPDX-License-Identifier: Apache-2.0
// Collects the rows that measure the operations of a training step.
#pragma once

#include <cstdint>
#include <utility>

#include "common/core/workload.hpp"

namespace scalemark {

/// Operations with the same row are one part of the workload. Between two uses of an operand a step
/// uses other memory; on a CPU the rows state how much (axis `reuse_distance`, bytes), as it
/// decides what an operation finds in the caches. Rows of GPUs do not.
class OperationRows {
 public:
  /// Of a training at this point.
  explicit OperationRows(const Point& training) : on_cpu_(training.text("device") == "cpu") {}

  /// Adds `part.count` calls; none if that is 0.
  void add(WorkloadPart part, std::int64_t distance);

  /// Adds an operation with its gradients. On a CPU the two passes are rows of their own: a step
  /// has them far apart, so that each finds other things in the caches.
  void add_passes(WorkloadPart part, std::int64_t forward, std::int64_t backward);

  /// All of them; none are left.
  Workload take() { return std::move(workload_); }

 private:
  bool on_cpu_;
  Workload workload_;
};

}  // namespace scalemark
