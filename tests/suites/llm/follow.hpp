// SPDX-License-Identifier: Apache-2.0
// Steps of the Finetuner on one batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "suites/llm/model/loss.hpp"
#include "suites/llm/train/objective.hpp"
#include "suites/llm/train/step.hpp"

namespace scalemark::llm {

using Values = std::vector<double>;

/// What the Finetuner says of steps on one batch.
struct Followed {
  Values losses, norms;
  std::vector<Values> observed;
  std::vector<torch::Tensor> parameters;
};

inline Followed follow(const Llama& model, const Examples& examples,
                       const FinetunerOptions& options, std::size_t steps,
                       std::unique_ptr<Objective> objective) {
  const std::unique_ptr<Parallelism> parallelism = make_single();
  Llama trained = model;
  parallelism->add(trained);
  Finetuner finetuner(model, options, *parallelism, std::move(objective));
  const std::int64_t count = finetuner.objective().count(examples);
  Followed result;
  for (std::size_t i = 0; i < steps; ++i) {
    StepResult step = finetuner.step(std::vector{examples}, count);
    result.losses.push_back(step.loss / static_cast<double>(count));
    result.norms.push_back(step.gradient_norm);
    for (double& value : step.observed) value /= static_cast<double>(count);
    result.observed.push_back(step.observed);
  }
  for (const torch::Tensor& parameter : finetuner.parameters())
    result.parameters.push_back(parameter.detach().clone());
  return result;
}

inline std::unique_ptr<Objective> language_modelling(bool fused) {
  return std::make_unique<LanguageModelling>(fused);
}

inline Examples examples_of(const torch::Tensor& tokens_bs, const torch::Tensor& shifted_bs) {
  Examples examples;
  examples.tokens_bs = tokens_bs;
  examples.shifted_bs = shifted_bs;
  examples.labels = count_labels(shifted_bs);
  return examples;
}

inline void expect_near(const Values& got, const Values& want, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], tolerance * std::max(1.0, std::abs(want[i]))) << what << " " << i;
}

}  // namespace scalemark::llm
