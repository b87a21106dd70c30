// SPDX-License-Identifier: Apache-2.0
// The time of one message of a collective, from measured rows.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/commands/overlap_rows.hpp"
#include "common/cli/commands/rank_reach.hpp"
#include "common/predict/collective_form.hpp"

namespace scalemark::cli {

struct MessageTime {
  double seconds = 0;
  /// "measured" or "interpolated" between sizes, with the nodes where there is a choice; else the
  /// form that predicts it, with "untested" or "no fit".
  std::string source;
  bool is_from_rows = false;  ///< on as many ranks
  RankReach reach = {};       ///< of the form
  /// Of kIntervalLevel, where a form predicts it.
  std::optional<std::pair<double, double>> interval = {};
};

constexpr double kIntervalLevel = 0.9;  ///< where no level is asked for

/// Low and high of a prediction, from the errors of its form and the scatter of runs. Nothing where
/// no form fits, rows are too few, or the ranks are farther than forms were tested.
std::optional<std::pair<double, double>> interval_of(const predict::CollectivePrediction& found,
                                                     const RankReach& reach, double run_deviation,
                                                     double level);

/// The rows of one collective that have the same axes but bytes and ranks.
class Collective {
 public:
  /// Rows with all of `words`, and the implied values of axes that these do not name. Throws
  /// InputError where such rows differ in other axes, and as read_collective_rows().
  Collective(const std::vector<std::string>& files, const std::string& benchmark,
             const std::vector<std::string>& words);

  /// Takes rows on as many ranks and `nodes`; where these are not known (0), on the fewest nodes: a
  /// launcher fills a node before the next. Nothing where rows are missing.
  std::optional<MessageTime> time(double bytes, int ranks, int nodes = 0) const;

 private:
  std::optional<MessageTime> measured(double bytes, int ranks, int nodes) const;

  std::vector<predict::CollectiveTime> times_;  ///< also those of one node
  std::unique_ptr<predict::CollectivePredictor> predictor_;
  double run_deviation_ = 0;
};

/// A benchmark and the axes of its rows, but their size.
using CollectiveName = std::pair<std::string, std::vector<std::string>>;

/// Collectives whose rows were read: once for all that ask for them.
class Collectives {
 public:
  explicit Collectives(std::vector<std::string> files) : files_(std::move(files)) {}
  const Collective& of(const CollectiveName& name);
  /// Of the same files.
  const OverlapRows& overlap();

 private:
  std::vector<std::string> files_;
  std::optional<OverlapRows> overlap_;
  std::map<CollectiveName, Collective> read_;
};

}  // namespace scalemark::cli
