// SPDX-License-Identifier: Apache-2.0
// Runs one case of imaging/train.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_case.hpp"

namespace scalemark::imaging {

using test::KeepingSink;
using test::root;
using TrainRun = test::CaseRun;

/// See test::run_case(). Tests 64 images after an epoch, unless `axes` say how many: all
/// 2000, the default, take longer than the training.
inline TrainRun run_train(std::vector<std::string> axes, SessionOptions options = {},
                          const std::optional<CaseState>& state = {}) {
  axes = test::with_usual(std::move(axes), {"test_images=64"});
  return test::run_case("imaging/train", axes, std::move(options), state);
}

}  // namespace scalemark::imaging
