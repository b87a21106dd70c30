// SPDX-License-Identifier: Apache-2.0
// A step of a training as the sum of its operations.
#pragma once

#include <string>

#include "common/predict/step_parts.hpp"

namespace scalemark::html {

struct ExplainedStep {
  std::string key;  ///< of the training
  predict::StepExplanation step;
};

}  // namespace scalemark::html
