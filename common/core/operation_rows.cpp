// SPDX-License-Identifier: Apache-2.0
// Collects the rows that measure the operations of a training step.
#include "common/core/operation_rows.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace scalemark {

Point sum_of_elements(Point axes, const char* operation, std::int64_t elements) {
  axes["operation"] = std::string(operation);
  axes["model"] = std::string("tiny");
  axes["tokens"] = std::int64_t{1};
  axes["elements"] = elements;
  return axes;
}

void OperationRows::add(WorkloadPart part, std::int64_t distance) {
  if (part.count == 0) return;
  if (on_cpu_) part.point[kReuseDistance] = std::min(distance, kMaxReuseDistance);
  const auto known = std::ranges::find_if(workload_, [&](const WorkloadPart& one) {
    return one.component == part.component && one.has_row_of(part);
  });
  if (known == workload_.end())
    workload_.push_back(std::move(part));
  else
    known->count += part.count;
}

void OperationRows::repeat(std::int64_t times) {
  for (WorkloadPart& part : workload_) part.count *= times;
}

void OperationRows::add_passes(WorkloadPart part, std::int64_t forward, std::int64_t backward) {
  part.point["pass"] = std::string(on_cpu_ ? "forward_train" : "train");
  add(part, forward);
  if (!on_cpu_) return;
  part.point["pass"] = std::string("backward");
  add(std::move(part), backward);
}

}  // namespace scalemark
