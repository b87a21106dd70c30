// SPDX-License-Identifier: Apache-2.0
// The course of a training: epochs of steps, a test after each, and what is noted on the way.
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

/// What one step or epoch left behind, on this rank. Times in nanoseconds.
struct History {
  struct Steps {
    std::vector<std::uint64_t> time;  ///< from asking for the batch to the loss on the host
    std::vector<std::uint64_t> wait;  ///< of it, until the batch was there
    /// now_ns() at the beginning of each; only of steps since the launch, which a saved state ends.
    std::vector<std::uint64_t> begun;
    std::vector<std::uint64_t> exposed_communication;  ///< see StepResult
    std::vector<double> loss;
  } steps;
  struct Epochs {
    std::vector<std::uint64_t> time;
    std::vector<std::uint64_t> start_pause;  ///< until the first batch was there
    std::vector<std::uint64_t> test_pause;   ///< from the last step to the test's first batch
    std::vector<double> train_loss, train_accuracy, test_loss, test_accuracy;
    std::vector<std::uint64_t> since_start;  ///< from the first step to the end of the epoch's test
  } epochs;
  std::int64_t images_computed = 0;  ///< by this rank
  std::int64_t loaded_bytes = 0;     ///< sent to its device
  std::optional<double> energy;  ///< J of its share of the counters, in the epochs without tests
};

/// Sums over the batches of an epoch.
struct Tally {
  double loss = 0;
  std::int64_t right = 0, images = 0, batches = 0;
};

/// How far a training has come.
struct Progress {
  std::int64_t epoch = 0, loaded = 0;  ///< epochs done; batches loaded in the next one
  Tally tally;                         ///< of these batches
  std::uint64_t epoch_time = 0;        ///< ns spent on them
  std::uint64_t since_start = 0;       ///< ns from the first step on, tests included
};

struct Course {
  Strategy strategy = Strategy::single;
  std::int64_t epochs = 1, samples = 0;
  LoaderOptions loading;
  torch_support::Precision precision;
  torch_support::CaseProfile* profile = nullptr;  ///< watches the epochs without their tests
};

/// Collective. Trains and tests; calls the watchdog in each step. Names its phases: "train epoch
/// 2", "test epoch 2". Saves its state after each epoch but the last, goes on from
/// `saved`, and stops after a step when a signal asks for it (throws StoppedEarly).
History run_training(Case& c, const Course& course, Loader& loader, const Images& test,
                     Trainer& trainer, const std::optional<torch_support::SavedTraining>& saved);

/// Collective. Records the metrics of a training; `course` and `images_per_step` (over all ranks)
/// say of what.
void record_training(Case& c, const Course& course, const History& history,
                     std::int64_t images_per_step);

}  // namespace scalemark::imaging
