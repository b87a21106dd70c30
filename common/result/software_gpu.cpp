// SPDX-License-Identifier: Apache-2.0
// Results that were measured on the software GPU of our tests.
#include "common/result/software_gpu.hpp"

#include <algorithm>

#include "common/base/error.hpp"

namespace scalemark {

bool is_on_software_gpu(const Run& run) {
  return std::any_of(run.ranks.begin(), run.ranks.end(),
                     [](const RankInfo& rank) { return rank.gpu_model == kSoftwareGpu; });
}

void refuse_software_gpu(const Run& run) {
  if (is_on_software_gpu(run))
    throw InputError("was measured on the software GPU of the tests; its times mean nothing");
}

}  // namespace scalemark
