// SPDX-License-Identifier: Apache-2.0
// Training loop: epochs of steps, a test after each epoch, and the recorded history.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/case.hpp"
#include "common/torch/case_profile.hpp"
#include "suites/imaging/loader/loader.hpp"
#include "suites/imaging/train/loop_state.hpp"
#include "suites/imaging/train/step.hpp"

namespace scalemark::imaging {

/// Records of this rank per step or epoch. Times in nanoseconds.
struct History {
  struct Steps {
    std::vector<std::uint64_t> time;  ///< from requesting the batch until the loss is on the host
    std::vector<std::uint64_t> wait;  ///< part of `time` spent waiting for the batch
    /// now_ns() at the start of each step. Only steps since the launch: a resumed run starts it
    /// empty.
    std::vector<std::uint64_t> begun;
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
  std::int64_t images_computed = 0;  ///< by this rank
  std::int64_t loaded_bytes = 0;     ///< sent to its device
  std::optional<double> energy;      ///< J, this rank's share of the counters; without tests
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

struct Course {
  Strategy strategy = Strategy::single;
  std::int64_t epochs = 1, samples = 0;
  LoaderOptions loading;
  torch_support::Precision precision;
  torch_support::CaseProfile* profile = nullptr;  ///< records the training epochs, without tests
};

/// Collective. Trains and tests; calls tick() in each step. Phases are named "train epoch 2", "test
/// epoch 2". Saves the state after each epoch except the last, and resumes from `saved`. If a
/// signal requests a stop, saves after the current step and throws StoppedEarly.
History run_training(Case& c, const Course& course, Loader& loader, const Images& test,
                     Trainer& trainer, const std::optional<torch_support::SavedTraining>& saved);

/// Collective. Records the metrics of a training; `images_per_step` is the sum over all ranks.
void record_training(Case& c, const Course& course, const History& history,
                     std::int64_t images_per_step);

}  // namespace scalemark::imaging
