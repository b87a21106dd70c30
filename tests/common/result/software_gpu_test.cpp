// SPDX-License-Identifier: Apache-2.0
// Runs on the software GPU of our tests are told from real ones.
#include "common/result/software_gpu.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark {
namespace {

Run run_on(const char* first, const char* second) {
  Run run;
  run.ranks.resize(2);
  run.ranks[0].gpu_model = first;
  run.ranks[1].gpu_model = second;
  return run;
}

TEST(SoftwareGpu, OneRankOnItIsEnough) {
  const auto run = run_on("NVIDIA H200", "Scalemark software GPU");
  EXPECT_TRUE(is_on_software_gpu(run));
  EXPECT_THROW(refuse_software_gpu(run), InputError);
}

TEST(SoftwareGpu, RealGpusAndNoneAreTaken) {
  EXPECT_NO_THROW(refuse_software_gpu(run_on("NVIDIA H200", "")));
  EXPECT_NO_THROW(refuse_software_gpu({}));
}

}  // namespace
}  // namespace scalemark
