// SPDX-License-Identifier: Apache-2.0
// The course of a fine-tuning: steps over epochs, and what is noted on the way.
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
  std::int64_t steps = 0;         ///< at most so many in all; 0 = whole epochs
  std::int64_t accumulation = 1;  ///< micro-batches a step
  /// Model FLOPs of a token in a row of `width`.
  std::function<double(std::int64_t width)> flops_a_token;
  std::int64_t save_every = 0;  ///< steps; 0 = after each epoch
  bool sharded = false;         ///< each rank trains another part of the parameters
  std::uint64_t seed = 0;       ///< of the order, and of random weights
  std::uint64_t start = 0;      ///< fingerprint of the weights that it began from; 0 = random
};

/// How many steps that are, of a loader with `batches` an epoch. 0 if an epoch has less than one.
std::int64_t total_steps(const Course& course, std::int64_t batches);

/// One value a step, of this rank; times in ns.
struct History {
  Objective::Terms terms;           ///< of the objective
  std::vector<std::uint64_t> time;  ///< from asking for the first batch to the loss on the host
  std::vector<std::uint64_t> wait;  ///< of it, until the batches were there
  /// now_ns() at the beginning of each; only of steps since the launch, which a saved state ends.
  std::vector<std::uint64_t> begun;
  std::vector<Communication> communication;
  std::vector<double> loss;                   ///< mean over what the objective counts on all ranks
  std::vector<std::vector<double>> observed;  ///< likewise, by terms.observed
  std::vector<double> gradient_norm;
  std::vector<double> positions, tokens, labels;  ///< see Examples
  std::vector<double> flops;                      ///< of the model, over all positions
  std::vector<double> all_counted;                ///< by the objective, over all ranks
  std::int64_t widest = 0;                        ///< row of all batches, in tokens
  std::int64_t steps_without_labels = 0;          ///< on no rank was there anything to count
  std::int64_t loaded_bytes = 0;                  ///< sent to the device
};

/// Calls `use` with the name (a string) and the values of each list of a History: what a saved
/// state keeps.
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

/// Collective. Takes up a training where `saved` left it: its history so far, for run_training().
/// `batches` are the loader's. Throws InputError on ranks where the state is not of this training.
History resume_training(Case& c, const torch_support::SavedTraining& saved, const Course& course,
                        std::int64_t batches, Finetuner& finetuner);

/// Collective. Does a step and takes it back: DDP then brings gradients together in the buckets
/// that it rebuilt after its first step, as the training did that goes on. In others, sums over
/// three ranks and more would be rounded in another order.
void warm_up_reducer(Case& c, const torch_support::SavedTraining& saved, const Course& course,
                     TokenLoader& loader, Finetuner& finetuner);

/// Collective. Trains from the finetuner's step on, and calls the watchdog in each step; phases are
/// named by epoch. `history` is of the steps before. Saves its state now and then
/// (Course::save_every), and stops after a step when a signal asks for it (throws StoppedEarly).
History run_training(Case& c, const Course& course, TokenLoader& loader, Finetuner& finetuner,
                     History history = {});

}  // namespace scalemark::llm
