// SPDX-License-Identifier: Apache-2.0
// A longer training on all 10,000 images of the subset.
#include <cstdio>

#include <gtest/gtest.h>

#include "tests/suites/imaging/train_case.hpp"

namespace scalemark::imaging {
namespace {

TEST(ImagingTrainFull, TenThousandImagesGiveMoreThan95Percent) {
  const TrainRun run =
      run_train({"image=32", "batch=32", "images=10000", "epochs=8", "layout=nhwc"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  const std::vector<double> accuracies = run.series("epoch_accuracy", 0);
  for (std::size_t i = 0; i < accuracies.size(); ++i)
    std::printf("epoch %zu: %.4f\n", i + 1, accuracies[i]);
  EXPECT_GT(accuracies.back(), 0.95);
  EXPECT_EQ(run.result().verification.wrong, 0U);
}

}  // namespace
}  // namespace scalemark::imaging
