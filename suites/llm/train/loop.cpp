// SPDX-License-Identifier: Apache-2.0
// Steps and records of a fine-tuning.
#include "suites/llm/train/loop.hpp"

#include <algorithm>
#include <utility>

#include "common/base/clock.hpp"
#include "suites/llm/train/loop_state.hpp"

namespace scalemark::llm {

Finetuning::Finetuning(Case& c, const TrainingSettings& settings, TokenLoader& loader,
                       Finetuner& finetuner)
    : c_(c), settings_(settings), loader_(loader), finetuner_(finetuner) {
  history_.terms = finetuner.objective().terms();
  history_.observed.resize(history_.terms.observed.size());
}

std::int64_t Finetuning::steps_per_epoch() const {
  return loader_.batches() / settings_.accumulation;
}

torch_support::TrainingPosition Finetuning::position() const {
  return {.epoch = finetuner_.steps() / steps_per_epoch(),
          .step = finetuner_.steps() % steps_per_epoch()};
}

std::uint64_t Finetuning::time_of_steps() const { return torch_support::sum(history_.steps.time); }

void Finetuning::start_epoch() {
  const torch_support::TrainingPosition at = position();
  epoch_ = static_cast<std::uint64_t>(at.epoch) + 1;
  epoch_begun_ = now_ns();
  first_batch_waited_ = at.step > 0;
  loader_.start(static_cast<std::uint64_t>(at.epoch), at.step * settings_.accumulation);
}

void Finetuning::end_epoch() {
  history_.timeline.push_back({"epoch", epoch_, epoch_begun_, now_ns()});
}

std::vector<Examples> Finetuning::next_batches() {
  std::vector<Examples> batches;
  for (std::int64_t i = 0; i < settings_.accumulation; ++i) batches.push_back(loader_.next());
  return batches;
}

std::int64_t Finetuning::count(const std::vector<Examples>& batches) const {
  std::int64_t counted = 0;
  for (const Examples& batch : batches) counted += finetuner_.objective().count(batch);
  return c_.ranks().sum(counted);
}

void Finetuning::step() {
  const std::uint64_t requested = now_ns();
  const std::vector<Examples> batches = next_batches();
  const std::uint64_t arrived = now_ns();
  if (!std::exchange(first_batch_waited_, true))
    history_.timeline.push_back({"epoch_start_pause", epoch_, epoch_begun_, arrived});
  const std::int64_t counted = count(batches);
  finetuner_.begin(batches, counted);
  loader_.prepare(settings_.accumulation);  // overlaps with the GPU's work
  const StepResult result = finetuner_.finish();
  history_.steps.add(requested, arrived, now_ns());
  history_.communication.push_back(result.communication);
  history_.gradient_norm.push_back(result.gradient_norm);
  history_.loss.push_back(result.loss);
  for (std::size_t i = 0; i < result.observed.size(); ++i)
    history_.observed[i].push_back(result.observed[i]);
  record_batches(batches);
  if (counted == 0) ++history_.steps_without_labels;
  history_.all_counted.push_back(static_cast<double>(counted));
}

void Finetuning::record_batches(const std::vector<Examples>& batches) {
  double positions = 0, tokens = 0, labels = 0, pairs_of_tokens = 0, flops = 0;
  for (const Examples& batch : batches) {
    const std::int64_t width = batch.tokens_bs.size(1);
    positions += static_cast<double>(batch.positions);
    flops += static_cast<double>(batch.positions) * settings_.flops_per_token(width);
    history_.widest = std::max(history_.widest, width);
    tokens += static_cast<double>(batch.tokens);
    labels += static_cast<double>(batch.labels);
    pairs_of_tokens += static_cast<double>(batch.pairs_of_tokens);
    history_.loaded_bytes += batch.bytes;
  }
  history_.positions.push_back(positions);
  history_.tokens.push_back(tokens);
  history_.labels.push_back(labels);
  history_.pairs_of_tokens.push_back(pairs_of_tokens);
  history_.flops.push_back(flops);
}

void Finetuning::trial_step() {
  loader_.start(0);
  const std::vector<Examples> batches = next_batches();
  finetuner_.step(batches, count(batches));
}

torch_support::SavedTraining Finetuning::pack() const {
  return pack_state(settings_, finetuner_, history_);
}

void Finetuning::restore(const torch_support::SavedTraining& saved) {
  restore_state(saved, settings_, finetuner_, history_);
}

History Finetuning::history() const {
  History records = history_;
  const auto to_means = [&](std::vector<double>& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = torch_support::sum_over_ranks(c_.ranks(), sums[i]) /
                std::max(records.all_counted[i], 1.0);
    }
  };
  to_means(records.loss);
  for (std::vector<double>& sums : records.observed) to_means(sums);
  return records;
}

}  // namespace scalemark::llm
