// SPDX-License-Identifier: Apache-2.0
// What one step of a workload consists of, as rows of other benchmarks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/step_phase.hpp"
#include "common/result/point.hpp"

namespace scalemark {

/// What one call of an operation takes at least.
struct OperationWork {
  double flops = 0;  ///< 0: not stated
  double bytes = 0;  ///< read or written, each tensor once
};

/// An operation of a step, which another benchmark measures alone.
struct WorkloadPart {
  std::string component;   ///< what it belongs to: "convolutions"
  std::string benchmark;   ///< that measures it: "micro/conv2d"
  Point point;             ///< of its row; axes with implied values may be left out
  std::int64_t count = 1;  ///< how often a step has it
  StepPhase phase = StepPhase::passes;

  /// Whether the same row measures both.
  bool has_row_of(const WorkloadPart& other) const {
    return benchmark == other.benchmark && point == other.point;
  }
};

using Workload = std::vector<WorkloadPart>;

/// What the data of a training decide: a workload takes it from the row of the training.
struct StepSizes {
  std::string metric;  ///< has the size of each step; empty: all steps are alike
  /// The point of a training whose steps all have one size.
  std::function<Point(Point training, std::int64_t size)> at;
  /// Metrics, whose mean over all steps counts, and facts. Where a row has them, its point has
  /// them, too, as integers of the same names.
  std::vector<std::string> records = {};
};

/// The messages in which DDP reduces gradients of `bytes` in place, with PyTorch's limits: a first
/// one of 1 MiB, so that it starts early, then 25 MiB each. DDP closes a message with the tensor
/// that reaches the limit; here each is as long as its limit.
Workload ddp_messages(std::int64_t bytes);

/// The axes that rows of operations share with the training at `point`: precision, device, threads
/// and ranks.
Point axes_of_rows(const Point& point);

}  // namespace scalemark
