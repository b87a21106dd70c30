// SPDX-License-Identifier: Apache-2.0
// The training loop of fine-tuning.
#include "suites/llm/train/loop.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/torch/step_records.hpp"
#include "suites/llm/train/loop_state.hpp"

namespace scalemark::llm {
namespace {

void note(History& history, const Course& course, const std::vector<Examples>& batches) {
  double positions = 0, tokens = 0, labels = 0, flops = 0;
  for (const Examples& batch : batches) {
    positions += static_cast<double>(batch.positions);
    flops += static_cast<double>(batch.positions) * course.flops_a_token(batch.tokens_bs.size(1));
    history.widest = std::max(history.widest, batch.tokens_bs.size(1));
    tokens += static_cast<double>(batch.tokens);
    labels += static_cast<double>(batch.labels);
    history.loaded_bytes += batch.bytes;
  }
  history.positions.push_back(positions);
  history.tokens.push_back(tokens);
  history.labels.push_back(labels);
  history.flops.push_back(flops);
}

std::int64_t steps_an_epoch(const Course& course, const TokenLoader& loader) {
  return loader.batches() / course.accumulation;
}

/// Positions the loader at `step` and names the phase.
void enter_epoch(Case& c, const Course& course, TokenLoader& loader, std::int64_t step) {
  const std::int64_t an_epoch = steps_an_epoch(course, loader);
  c.phase(fmt::format("train epoch {}", step / an_epoch + 1));
  loader.start(static_cast<std::uint64_t>(step / an_epoch), step % an_epoch * course.accumulation);
}

std::vector<Examples> next_batches(const Course& course, TokenLoader& loader) {
  std::vector<Examples> batches;
  for (std::int64_t i = 0; i < course.accumulation; ++i) batches.push_back(loader.next());
  return batches;
}

/// Number of tokens or pairs that the objective counts in the step, over all ranks.
std::int64_t count(const Case& c, const Finetuner& finetuner,
                   const std::vector<Examples>& batches) {
  std::int64_t counted = 0;
  for (const Examples& batch : batches) counted += finetuner.objective().count(batch);
  return c.ranks().sum(counted);
}

/// Runs the next step of the training and records it.
void train_step(Case& c, const Course& course, TokenLoader& loader, Finetuner& finetuner,
                History& history) {
  const std::int64_t step = finetuner.steps();
  if (step % steps_an_epoch(course, loader) == 0) enter_epoch(c, course, loader, step);
  c.report_progress();
  const std::uint64_t asked = now_ns();
  const std::vector<Examples> batches = next_batches(course, loader);
  const std::uint64_t arrived = now_ns();
  const std::int64_t counted = count(c, finetuner, batches);
  finetuner.begin(batches, counted);
  loader.prepare(course.accumulation);  // overlaps with the GPU's work
  const StepResult result = finetuner.finish();
  const std::uint64_t done = now_ns();
  history.begun.push_back(asked);
  history.time.push_back(done - asked);
  history.wait.push_back(arrived - asked);
  history.communication.push_back(result.communication);
  history.gradient_norm.push_back(result.gradient_norm);
  history.loss.push_back(result.loss);
  for (std::size_t i = 0; i < result.observed.size(); ++i)
    history.observed[i].push_back(result.observed[i]);
  note(history, course, batches);
  if (counted == 0) ++history.steps_without_labels;
  history.all_counted.push_back(static_cast<double>(counted));
}

bool is_due(const Course& course, const TokenLoader& loader, std::int64_t done) {
  const std::int64_t every =
      course.save_every > 0 ? course.save_every : steps_an_epoch(course, loader);
  return done % every == 0;
}

}  // namespace

std::int64_t total_steps(const Course& course, std::int64_t batches) {
  const std::int64_t all = course.epochs * (batches / course.accumulation);
  return course.steps > 0 ? std::min(course.steps, all) : all;
}

History resume_training(Case& c, const torch_support::SavedTraining& saved, const Course& course,
                        std::int64_t batches, Finetuner& finetuner) {
  History history;
  restore(saved, course, finetuner, history);
  if (const std::int64_t all = total_steps(course, batches); finetuner.steps() > all) {
    throw InputError(
        fmt::format("the saved state is of {} steps, the training has {}", finetuner.steps(), all));
  }
  c.fact("resumed_at_step", finetuner.steps() + 1);
  c.throw_if_peer_failed();
  return history;
}

void warm_up_reducer(Case& c, const torch_support::SavedTraining& saved, const Course& course,
                     TokenLoader& loader, Finetuner& finetuner) {
  if (c.size() == 1) return;
  loader.start(0);
  const std::vector<Examples> batches = next_batches(course, loader);
  finetuner.step(batches, count(c, finetuner, batches));
  History ignored;
  restore(saved, course, finetuner, ignored);
}

History run_training(Case& c, const Course& course, TokenLoader& loader, Finetuner& finetuner,
                     History history) {
  const CaseCheckpoint::Stoppable stoppable(c.checkpoint());
  history.terms = finetuner.objective().terms();
  history.observed.resize(history.terms.observed.size());
  const std::int64_t steps = total_steps(course, loader.batches());
  if (finetuner.steps() % steps_an_epoch(course, loader) != 0)
    enter_epoch(c, course, loader, finetuner.steps());
  while (finetuner.steps() < steps) {
    train_step(c, course, loader, finetuner, history);
    const bool stop = c.checkpoint().stop_requested();
    if (stop || (finetuner.steps() < steps && is_due(course, loader, finetuner.steps()))) {
      const torch_support::SavedTraining state = pack_state(course, finetuner, history);
      torch_support::save_training(c, state.shared, state.own);
    }
    if (stop) throw StoppedEarly{};
  }
  // After the timed steps: turns this rank's sums into means over all ranks.
  const auto to_means = [&](std::vector<double>& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] =
          torch_support::sum_over_ranks(c.ranks(), sums[i]) / std::max(history.all_counted[i], 1.0);
    }
  };
  to_means(history.loss);
  for (std::vector<double>& sums : history.observed) to_means(sums);
  return history;
}

}  // namespace scalemark::llm
