// SPDX-License-Identifier: Apache-2.0
// The training loop of fine-tuning: steps over epochs, records and checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/core/case.hpp"
#include "common/torch/training_state.hpp"
#include "suites/llm/train/step.hpp"
#include "suites/llm/train/token_loader.hpp"

namespace scalemark::llm {

struct Course {
  std::int64_t epochs = 1;
  std::int64_t steps = 0;         ///< maximum number of steps; 0 = whole epochs
  std::int64_t accumulation = 1;  ///< micro-batches per step
  /// Model FLOPs per token in a row of `width`.
  std::function<double(std::int64_t width)> flops_a_token;
  std::int64_t save_every = 0;  ///< steps; 0 = after each epoch
  bool sharded = false;         ///< each rank trains a different part of the parameters
  std::uint64_t seed = 0;       ///< of the sample order and of random weights
  std::uint64_t start = 0;      ///< fingerprint of the initial weights; 0 = random
};

/// Number of steps of the training, with `batches` per epoch; 0 if an epoch has less than one step.
std::int64_t total_steps(const Course& course, std::int64_t batches);

/// This rank's records, one value per step; times in ns.
struct History {
  Objective::Terms terms;           ///< of the objective
  std::vector<std::uint64_t> time;  ///< from requesting the first batch to the loss on the host
  std::vector<std::uint64_t> wait;  ///< part of `time` spent waiting for batches
  /// now_ns() at the start of each step, since this launch only; not in checkpoints.
  std::vector<std::uint64_t> begun;
  std::vector<Communication> communication;
  std::vector<double> loss;                   ///< mean over what the objective counts on all ranks
  std::vector<std::vector<double>> observed;  ///< likewise, by terms.observed
  std::vector<double> gradient_norm;
  std::vector<double> positions, tokens, labels;  ///< see Examples
  std::vector<double> flops;                      ///< of the model, over all positions
  std::vector<double> all_counted;                ///< by the objective, over all ranks
  std::int64_t widest = 0;                        ///< widest row of all batches, in tokens
  std::int64_t steps_without_labels = 0;          ///< steps in which no rank had anything to count
  std::int64_t loaded_bytes = 0;                  ///< bytes sent to the device
};

/// Calls `use` with the name (a string) and the values of each list of a History that checkpoints
/// store.
template <typename SomeHistory, typename Use>
void for_each_record(SomeHistory& history, Use use) {
  use("time", history.time);
  use("wait", history.wait);
  use("loss", history.loss);
  use("gradient_norm", history.gradient_norm);
  use("positions", history.positions);
  use("tokens", history.tokens);
  use("labels", history.labels);
  use("flops", history.flops);
  use("all_counted", history.all_counted);
  for (std::size_t i = 0; i < history.observed.size(); ++i)
    use("observed." + std::to_string(i), history.observed[i]);
}

/// Collective. Resumes a training from `saved`: returns its history so far, for run_course().
/// `batches`: per epoch of the loader. Throws InputError on ranks where the checkpoint belongs to
/// another training.
History resume_training(Case& c, const torch_support::SavedTraining& saved, const Course& course,
                        std::int64_t batches, Finetuner& finetuner);

/// Collective. Runs a step and undoes it, so that DDP rebuilds its buckets as the interrupted
/// training had done after its first step. Otherwise sums over three or more ranks would be rounded
/// in another order.
void warm_up_reducer(Case& c, const torch_support::SavedTraining& saved, const Course& course,
                     TokenLoader& loader, Finetuner& finetuner);

/// Collective. Trains from the finetuner's current step, and calls the watchdog in each step;
/// phases are named by epoch. `history` holds the earlier steps. Saves checkpoints
/// (Course::save_every). Stops after a step if a signal requests it (throws StoppedEarly).
History run_training(Case& c, const Course& course, TokenLoader& loader, Finetuner& finetuner,
                     History history = {});

}  // namespace scalemark::llm
