// SPDX-License-Identifier: Apache-2.0
// The course of a fine-tuning: steps over epochs, and what is noted on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/core/case.hpp"
#include "suites/llm/finetuner.hpp"
#include "suites/llm/token_loader.hpp"

namespace scalemark::llm {

struct Course {
  std::int64_t epochs = 1;
  std::int64_t steps = 0;         ///< at most so many in all; 0 = whole epochs
  std::int64_t accumulation = 1;  ///< micro-batches a step
  /// Model FLOPs of a token in a row of `width`.
  std::function<double(std::int64_t width)> flops_a_token;
};

/// How many steps that are, of a loader with `batches` an epoch. 0 if an epoch has less than one.
std::int64_t total_steps(const Course& course, std::int64_t batches);

/// One value a step, of this rank; times in ns.
struct History {
  Objective::Terms terms;           ///< of the objective
  std::vector<std::uint64_t> time;  ///< from asking for the first batch to the loss on the host
  std::vector<std::uint64_t> wait;  ///< of it, until the batches were there
  std::vector<Communication> communication;
  std::vector<double> loss;                   ///< mean over what the objective counts on all ranks
  std::vector<std::vector<double>> observed;  ///< likewise, by terms.observed
  std::vector<double> gradient_norm;
  std::vector<double> positions, tokens, labels;  ///< see Examples
  std::vector<double> flops;                      ///< of the model, over all positions
  std::int64_t widest = 0;                        ///< row of all batches, in tokens
  std::int64_t steps_without_labels = 0;          ///< on no rank was there anything to count
};

/// Collective. Trains, and calls the watchdog in each step; phases are named by epoch.
History run_course(Case& c, const Course& course, TokenLoader& loader, Finetuner& finetuner);

}  // namespace scalemark::llm
