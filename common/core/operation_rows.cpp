// SPDX-License-Identifier: Apache-2.0
// Collects the rows that measure the operations of a training step.
#include "common/core/operation_rows.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace scalemark {

void OperationRows::add(WorkloadPart part, std::int64_t distance) {
  if (part.count == 0) return;
  if (on_cpu_) part.point["reuse_distance"] = distance;
  const auto known = std::ranges::find_if(workload_, [&](const WorkloadPart& one) {
    return one.component == part.component && one.has_row_of(part);
  });
  if (known == workload_.end())
    workload_.push_back(std::move(part));
  else
    known->count += part.count;
}

void OperationRows::add_passes(WorkloadPart part, std::int64_t forward, std::int64_t backward) {
  part.point["pass"] = std::string(on_cpu_ ? "forward_train" : "train");
  add(part, forward);
  if (!on_cpu_) return;
  part.point["pass"] = std::string("backward");
  add(std::move(part), backward);
}

}  // namespace scalemark
