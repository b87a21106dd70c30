// SPDX-License-Identifier: Apache-2.0
// A training of imaging/train: its steps, the test after each epoch, and the recorded history.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/core/case.hpp"
#include "common/torch/case_profile.hpp"
#include "common/torch/training/loop.hpp"
#include "common/torch/training/step_records.hpp"
#include "suites/imaging/loader/loader.hpp"
#include "suites/imaging/train/loop_state.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

/// Records of this rank per step or epoch. Times in nanoseconds.
struct History {
  struct Steps : torch_support::StepTimes {
    std::vector<std::uint64_t> exposed_communication;  ///< see StepResult
    std::vector<double> loss;
  } steps;
  struct Epochs {
    std::vector<std::uint64_t> time;
    std::vector<std::uint64_t> start_pause;  ///< from the epoch's start to the first batch
    std::vector<std::uint64_t> test_pause;   ///< from the last step to the first test batch
    std::vector<double> train_loss, train_accuracy, test_loss, test_accuracy;
    std::vector<std::uint64_t> since_start;  ///< from the first step to the end of the epoch's test
  } epochs;
  std::vector<Interval> timeline;    ///< without steps; since this launch, not in checkpoints
  std::int64_t images_computed = 0;  ///< by this rank
  std::int64_t loaded_bytes = 0;     ///< sent to its device
};

/// Sums over the batches of an epoch.
struct Tally {
  double loss = 0;
  std::int64_t right = 0, images = 0, batches = 0;
};

/// Position of a training, from which it can resume.
struct Progress {
  std::int64_t epoch = 0, loaded = 0;  ///< completed epochs; batches loaded in the current one
  Tally tally;                         ///< sums over the current epoch
  std::uint64_t epoch_time = 0;        ///< ns spent in the current epoch
  std::uint64_t since_start = 0;       ///< ns since the first step, tests included
};

struct TrainingSettings {
  Strategy strategy = Strategy::single;
  std::int64_t samples = 0;
  LoaderOptions loading;  ///< of tests; the loader of the training may load to another device
  torch_support::Precision precision;
};

/// plan_epoch() of this rank. `epoch` counts from 0.
EpochPlan epoch_plan(const Case& c, const TrainingSettings& settings, std::int64_t epoch);

/// Images of a test batch: without gradients, small images fit into larger batches with no more
/// memory than training needs.
std::int64_t test_batch(const LoaderOptions& loading);

/// Trains with `trainer` on the batches of `loader`, and tests on `test_images` after each epoch
/// (phase "test epoch 2"). Tests come from `test_loader`, which has batches of test_batch() of
/// these images; those that are left over do not. A step is a computed batch. `profile` and the
/// energy cover the epochs without their tests. All arguments must outlive this object.
class ImageTraining final : public torch_support::Training {
 public:
  ImageTraining(Case& c, const TrainingSettings& settings, Loader& loader, Loader& test_loader,
                const Images& test_images, Trainer& trainer, torch_support::CaseProfile& profile);

  torch_support::TrainingPosition position() const override;
  std::uint64_t time_of_steps() const override;
  void start_epoch() override;
  void step() override;
  void end_epoch() override;
  void trial_step() override;
  torch_support::SavedTraining pack() const override;
  void restore(const torch_support::SavedTraining& saved) override;

  const History& history() const { return history_; }
  const std::optional<double>& joules() const { return energy_.joules(); }

 private:
  Batch next_batch();
  void record_trained_epoch();
  /// Adds an interval of the current epoch to the timeline.
  void note(std::string_view what, std::uint64_t from, std::uint64_t to);
  Tally test();

  Case& c_;
  const TrainingSettings& settings_;
  Loader &loader_, &test_loader_;
  const Images& test_images_;
  Trainer& trainer_;
  torch_support::CaseProfile& profile_;
  torch_support::EnergyMeter energy_;
  History history_;
  Progress progress_;
  std::int64_t loaded_before_ = 0;  ///< bytes loaded before the interruption
  EpochPlan plan_;                  ///< of the current epoch
  // Starts of the training and of the epoch, by now_ns(), moved back by the time that they had
  // taken before the interruption. No epoch has started between epochs.
  std::optional<std::uint64_t> start_, epoch_start_;
  std::uint64_t epoch_begun_ = 0;           ///< in this launch
  std::optional<std::uint64_t> requested_;  ///< when the epoch's first batch was requested
};

/// Collective. Records the metrics of a training; `images_per_step` is the sum over all ranks.
/// `joules`: of this rank over the epochs without their tests; empty if unknown.
void record_training(Case& c, const TrainingSettings& settings, const History& history,
                     std::int64_t images_per_step, const std::optional<double>& joules);

}  // namespace scalemark::imaging
