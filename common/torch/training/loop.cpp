// SPDX-License-Identifier: Apache-2.0
// The training loop.
#include "common/torch/training/loop.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/core/exchange.hpp"

namespace scalemark::torch_support {
namespace {

void save(Case& c, const Training& training) {
  const SavedTraining state = training.pack();
  save_training(c, state.shared, state.own);
}

void save_and_stop(Case& c, const Training& training) {
  save(c, training);
  throw StoppedEarly{};
}

/// Collective. Whether the slowest rank has trained as long as the plan allows.
bool is_time_over(const Case& c, const TrainingPlan& plan, const Training& training) {
  if (plan.seconds == 0) return false;
  return largest(c.ranks(), static_cast<std::int64_t>(training.time_of_steps())) >=
         plan.seconds * 1'000'000'000;
}

}  // namespace

std::int64_t TrainingPlan::total_steps() const {
  const std::int64_t all = epochs * steps_per_epoch;
  return max_steps > 0 ? std::min(max_steps, all) : all;
}

std::int64_t TrainingPlan::steps_in(std::int64_t epoch) const {
  return std::clamp<std::int64_t>(total_steps() - epoch * steps_per_epoch, 0, steps_per_epoch);
}

std::optional<SavedTraining> resume(Case& c, const TrainingPlan& plan, Training& training) {
  std::optional<SavedTraining> saved = saved_training(c);
  if (!saved) return saved;
  training.restore(*saved);
  const TrainingPosition at = training.position();
  if (at.epoch > plan.epochs || at.step > plan.steps_per_epoch ||
      at.epoch * plan.steps_per_epoch + at.step > plan.total_steps()) {
    throw InputError(
        fmt::format("the checkpoint is at step {} of epoch {}; the training has {} steps", at.step,
                    at.epoch + 1, plan.total_steps()));
  }
  c.throw_if_peer_failed();
  return saved;
}

void warm_up_reducer(Case& c, const SavedTraining& saved, Training& training) {
  if (c.size() == 1) return;
  training.trial_step();
  training.restore(saved);
}

void run_training(Case& c, const TrainingPlan& plan, Training& training) {
  const CaseCheckpoint::Stoppable stoppable(c.checkpoint());
  const std::int64_t total = plan.total_steps();
  auto [epoch, step] = training.position();
  bool over = is_time_over(c, plan, training);
  for (; plan.steps_in(epoch) > 0 && !over; ++epoch, step = 0) {
    c.phase(fmt::format("train epoch {}", epoch + 1));
    training.start_epoch();
    while (step < plan.steps_in(epoch) && !over) {
      c.report_progress();
      training.step();
      ++step;
      if (c.checkpoint().stop_requested()) save_and_stop(c, training);
      over = is_time_over(c, plan, training);
      const std::int64_t done = epoch * plan.steps_per_epoch + step;
      const bool is_last = over || done == total;
      if (plan.save_every > 0 && done % plan.save_every == 0 && !is_last) save(c, training);
    }
    training.end_epoch();
    if (plan.save_every == 0 && plan.steps_in(epoch + 1) > 0 && !over) save(c, training);
  }
}

}  // namespace scalemark::torch_support
