// SPDX-License-Identifier: Apache-2.0
// A training of llm/finetune: its steps and their records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/core/case.hpp"
#include "common/torch/training/loop.hpp"
#include "common/torch/training/step_records.hpp"
#include "suites/llm/train/step.hpp"
#include "suites/llm/train/token_loader.hpp"

namespace scalemark::llm {

struct TrainingSettings {
  std::int64_t accumulation = 1;  ///< micro-batches per step
  /// Model FLOPs per token in a row of `width`.
  std::function<double(std::int64_t width)> flops_per_token;
  bool sharded = false;     ///< each rank trains a different part of the parameters
  std::uint64_t seed = 0;   ///< of the sample order and of random weights
  std::uint64_t start = 0;  ///< fingerprint of the initial weights; 0 = random
};

/// This rank's records, one value per step; times in ns.
struct History {
  Objective::Terms terms;  ///< of the objective
  torch_support::StepTimes steps;
  std::vector<Interval> timeline;  ///< without steps; since this launch, not in checkpoints
  std::vector<Communication> communication;
  std::vector<double> loss;                   ///< mean over what the objective counts on all ranks
  std::vector<std::vector<double>> observed;  ///< likewise, by terms.observed
  std::vector<double> gradient_norm;
  std::vector<double> positions, tokens, labels, pairs_of_tokens;  ///< see Examples
  std::vector<double> flops;              ///< of the model, over all positions
  std::vector<double> all_counted;        ///< by the objective, over all ranks
  std::int64_t widest = 0;                ///< widest row of all batches, in tokens
  std::int64_t steps_without_labels = 0;  ///< steps in which no rank had anything to count
  std::int64_t loaded_bytes = 0;          ///< bytes sent to the device
};

/// Calls `use` with the name (a string) and the values of each list of a History that checkpoints
/// store.
template <typename SomeHistory, typename Use>
void for_each_record(SomeHistory& history, Use use) {
  use("time", history.steps.time);
  use("wait", history.steps.wait);
  use("loss", history.loss);
  use("gradient_norm", history.gradient_norm);
  use("positions", history.positions);
  use("tokens", history.tokens);
  use("labels", history.labels);
  use("pairs_of_tokens", history.pairs_of_tokens);
  use("flops", history.flops);
  use("all_counted", history.all_counted);
  for (std::size_t i = 0; i < history.observed.size(); ++i)
    use("observed." + std::to_string(i), history.observed[i]);
}

/// Steps of `finetuner` on the batches of `loader`. All arguments must outlive this object.
class Finetuning final : public torch_support::Training {
 public:
  Finetuning(Case& c, const TrainingSettings& settings, TokenLoader& loader, Finetuner& finetuner);

  torch_support::TrainingPosition position() const override;
  std::uint64_t time_of_steps() const override;
  void start_epoch() override;
  void step() override;
  void end_epoch() override;
  void trial_step() override;
  torch_support::SavedTraining pack() const override;
  void restore(const torch_support::SavedTraining& saved) override;

  std::int64_t steps_per_epoch() const;
  /// Collective. The records after the last step.
  History history() const;

 private:
  std::vector<Examples> next_batches();
  /// Number of tokens or pairs that the objective counts in the step, over all ranks.
  std::int64_t count(const std::vector<Examples>& batches) const;
  void record_batches(const std::vector<Examples>& batches);

  Case& c_;
  const TrainingSettings& settings_;
  TokenLoader& loader_;
  Finetuner& finetuner_;
  /// Losses and observed values are this rank's sums, which history() turns into means.
  History history_;
  std::uint64_t epoch_ = 0;         ///< the current one, from 1
  std::uint64_t epoch_begun_ = 0;   ///< by now_ns(), in this launch
  bool first_batch_waited_ = true;  ///< the epoch's first batch has come
};

}  // namespace scalemark::llm
