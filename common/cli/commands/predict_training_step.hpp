// SPDX-License-Identifier: Apache-2.0
// A predicted training step: the slowest rank, the messages, and how far off its like were.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/commands/missing_messages.hpp"
#include "common/cli/commands/predict_collective.hpp"
#include "common/cli/commands/predict_training_rows.hpp"
#include "common/cli/commands/step_messages.hpp"
#include "common/core/benchmark.hpp"
#include "common/predict/noise_at_scale.hpp"

namespace scalemark::cli {

struct StepLine {
  int ranks = 0, from_ranks = 0;
  std::size_t samples = 0;  ///< steps of ranks
  double computing = 0;     ///< s, the median of a rank
  double factor = 1;        ///< of a prediction for another machine, on the measured times
  predict::Slowest slowest;
  std::vector<StepMessage> messages;
  /// s of the messages that are sent while the rank computes; nothing where that is not known.
  std::optional<double> hidden;
  /// The part of `hidden` that makes a step shorter; nothing where no row tells.
  std::optional<double> overlap_ratio;
  std::optional<double> measured;
  std::optional<std::pair<double, double>> interval;  ///< s

  double communication() const;
  /// What a step wins by messages that are sent while it computes.
  double won() const { return hidden.value_or(0) * overlap_ratio.value_or(1); }
  double step() const { return slowest.median + communication() - won(); }
  /// Whether all messages have rows on as many ranks.
  bool is_from_rows() const;
  /// Of the message whose form is used farthest beyond its rows, if any beyond where it was tested,
  /// among those; null if no form is used.
  const RankReach* farthest() const;
  /// Whether nothing tells how good a form is there.
  bool is_far() const;
  /// What takes most of the step: "computing", "waiting for the slowest rank" or "communication".
  std::string bound() const;
};

/// The measured number of ranks to start from: the largest up to `ranks`, else the smallest. Not
/// `ranks` itself, unless it was measured on another machine. Null without such a training.
const std::pair<const int, MeasuredTraining>* start_for(const TrainingRows& rows, int ranks);

/// The step on `ranks`, without an interval. `nodes` that they are on; not given: those of the
/// training on as many ranks, else as full as the nodes of the training to start from. Nothing
/// where that training is missing, or rows of messages, which go to `missing`.
std::optional<StepLine> predict_step(const TrainingRows& rows, const Benchmark& benchmark,
                                     int ranks, Collectives& collectives, MissingSizes& missing,
                                     std::optional<int> nodes = {});

/// Errors of the trainings that were measured, each predicted from the others.
class TrainingErrors {
 public:
  TrainingErrors(const std::vector<TrainingRows>& all, const Benchmark& benchmark,
                 Collectives& collectives);

  /// Adds the split conformal interval of `level`: from errors of predictions whose messages are
  /// known alike (rows, or forms), but not from the error of this one, and from the scatter of
  /// runs. Leaves it away where there are fewer than residuals_needed(level), where the slowest
  /// rank is a lower bound, and where messages are predicted too far beyond their rows.
  void add_interval(StepLine& line, const std::string& key, double level) const;
  /// Errors that add_interval() takes for such a line.
  std::size_t count_for(const StepLine& line, const std::string& key) const {
    return errors_for(line, key).size();
  }

 private:
  struct Predicted {
    std::string key;
    int ranks;
    bool is_from_rows;
    double log_error;  ///< log(measured / predicted)
  };

  std::vector<double> errors_for(const StepLine& line, const std::string& key) const;

  std::vector<Predicted> predicted_;
  double run_deviation_ = 0;  ///< of the logarithm of one run's step
};

}  // namespace scalemark::cli
