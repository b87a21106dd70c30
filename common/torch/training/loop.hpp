// SPDX-License-Identifier: Apache-2.0
// The training loop: epochs of steps, checkpoints between steps, and how a training resumes.
#pragma once

#include <cstdint>
#include <optional>

#include "common/core/case.hpp"
#include "common/torch/training/training_state.hpp"

namespace scalemark::torch_support {

/// How long to train, and when to save checkpoints.
struct TrainingPlan {
  std::int64_t epochs = 1;
  std::int64_t steps_per_epoch = 0;
  std::int64_t max_steps = 0;   ///< 0 = whole epochs
  std::int64_t save_every = 0;  ///< steps; 0 = after each epoch
  std::int64_t seconds = 0;     ///< ends after the step in which so much time is over; 0 = never

  /// 0 if an epoch has less than one step.
  std::int64_t total_steps() const;
  /// Steps of one epoch, counted from 0; the last epoch may be cut by max_steps.
  std::int64_t steps_in(std::int64_t epoch) const;
};

/// Completed epochs, and completed steps of the current one.
struct TrainingPosition {
  std::int64_t epoch = 0, step = 0;
};

/// A training that run_training() drives: its model, its data and its records. Every function but
/// position() and time_of_steps() is collective.
class Training {
 public:
  Training() = default;
  virtual ~Training() = default;
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  virtual TrainingPosition position() const = 0;
  /// Time of this rank's steps so far, in ns, those before an interruption included.
  virtual std::uint64_t time_of_steps() const = 0;
  /// Starts loading the current epoch from position().
  virtual void start_epoch() = 0;
  /// Loads the data of one step, runs it and records it.
  virtual void step() = 0;
  /// Called after the last step of each epoch, for instance to test.
  virtual void end_epoch() {}
  /// Runs any step without recording it. restore() must undo it.
  virtual void trial_step() = 0;
  /// The state between two steps. Its tensors may share memory with the model.
  virtual SavedTraining pack() const = 0;
  /// Throws InputError if the state belongs to another training.
  virtual void restore(const SavedTraining& saved) = 0;
};

/// Collective. Restores the checkpoint of an interrupted run, if there is one, and returns it.
/// Throws InputError on ranks where it does not belong to this training.
std::optional<SavedTraining> resume(Case& c, const TrainingPlan& plan, Training& training);

/// Collective. Runs a step and undoes it, so that DDP rebuilds its buckets as the interrupted
/// training had done after its first step. With other buckets, sums over three or more ranks would
/// be rounded in another order.
void warm_up_reducer(Case& c, const SavedTraining& saved, Training& training);

/// Collective. Trains from the current position to the end of the plan; phases are named by epoch.
/// Saves checkpoints as planned, but not after the last step. If a signal requests a stop, saves
/// after the current step and throws StoppedEarly.
void run_training(Case& c, const TrainingPlan& plan, Training& training);

}  // namespace scalemark::torch_support
