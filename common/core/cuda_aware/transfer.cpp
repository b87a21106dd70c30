// SPDX-License-Identifier: Apache-2.0
// No axis: nobody can ask for it but by --cuda-aware, which decides for the whole run.
#include "common/core/cuda_aware/transfer.hpp"

namespace scalemark {
namespace {

bool has_text(const Params& params, const char* name, const char* value) {
  const auto found = params.find(name);
  return found != params.end() && to_text(found->second) == value;
}

}  // namespace

void choose_transfer(Params& params, const PlanContext& job, collective::DeviceUse use) {
  if (job.direct[static_cast<std::size_t>(use)] && has_text(params, "backend", "mpi") &&
      has_text(params, "memory", "device"))
    params["transfer"] = std::string("direct");
}

bool is_direct(const Params& params) { return has_text(params, "transfer", "direct"); }

}  // namespace scalemark
