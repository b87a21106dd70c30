// SPDX-License-Identifier: Apache-2.0
// No axis: nobody can ask for it but by --cuda-aware, which decides for the whole run.
#include "common/core/cuda_aware/transfer.hpp"

namespace scalemark {
namespace {

bool has_text(const Point& point, const char* name, const char* value) {
  return point.text(name, "") == value;
}

}  // namespace

void choose_transfer(Point& point, const PlanContext& job, collective::DeviceUse use) {
  if (job.direct[static_cast<std::size_t>(use)] && has_text(point, "backend", "mpi") &&
      has_text(point, "memory", "device"))
    point["transfer"] = std::string("direct");
}

bool is_direct(const Point& point) { return has_text(point, "transfer", "direct"); }

}  // namespace scalemark
