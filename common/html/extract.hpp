// SPDX-License-Identifier: Apache-2.0
// What the page needs of a run, taken case by case, so that no two cases are in memory together.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/analysis/published.hpp"
#include "common/analysis/scaling.hpp"
#include "common/html/drawing/chart.hpp"
#include "common/result/model.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::html {

/// One metric in numbers. All texts here are cleaned for people and short.
struct Quantity {
  std::string name, unit;
  Better better = Better::none;
  MetricKind kind = MetricKind::duration;
  Summary summary;
  std::optional<double> peak;  ///< fact peak_<name>, in the metric's unit
};

/// The samples of all ranks as a grid of at most 64 x 120 cells.
struct RankGrid {
  std::string metric;
  bool collective = false;  ///< the ranks wait for one another in what was timed
  std::size_t ranks = 0, iterations = 0;
  std::size_t rows = 0, columns = 0;
  std::vector<float> cells;  ///< [row][column]: the value farthest from the median, by the median
  /// By rank: median over iterations of its value by the iteration's median over ranks.
  std::vector<float> effects;
  std::vector<float> slowest;  ///< by rank: share of iterations in which it had the largest value
  double imbalance = 0;        ///< largest |ln effect|

  /// First rank of a row, and one behind the last.
  std::size_t first_rank(std::size_t row) const { return row * ranks / rows; }
};

/// How a training went.
struct Training {
  std::size_t steps = 0;
  std::vector<Point> loss;  ///< mean of some steps with the smallest and largest, over the step
  std::vector<double> accuracy;   ///< after each epoch, if stored
  double step = 0, wait = 0;      ///< s, medians; wait for the loader
  std::optional<double> exposed;  ///< s, communication that nothing hides
};

struct PublishedPair {
  analysis::Published published;
  double here = 0;  ///< median, in the published unit
};

struct CaseExtract {
  std::string key, name;
  std::map<std::string, std::string> params;  ///< those of the key
  Status status = Status::ok;                 ///< failed, too, where the data was found wrong
  std::string reason;
  std::vector<Quantity> quantities;  ///< the primary one first; without bookkeeping
  std::vector<float> quantiles;      ///< of the primary metric at 0, 1/64, .. 1; empty: too few
  std::optional<RankGrid> grid;
  std::optional<Training> training;
  std::vector<PublishedPair> published;
  std::optional<std::size_t> placement;  ///< in RunExtract::moved; nothing: where the run began

  const Quantity* find(std::string_view metric) const;
};

/// Where the ranks of some cases ran, after --resume had moved the run.
struct Placement {
  std::vector<RankInfo> ranks;
  std::size_t cases = 0;
};

struct RunExtract {
  std::string label, uuid, created, exit_reason, command_line;
  bool complete = true;
  std::size_t planned = 0;
  std::map<std::string, std::string> facts;  ///< of the environment
  std::vector<RankInfo> ranks;
  std::vector<Placement> moved;  ///< other than `ranks`, in order of their cases
  std::vector<CaseExtract> cases;
  std::vector<analysis::ScalingCase> scaling;
};

/// Where the ranks of a case of the run ran.
const std::vector<RankInfo>& placement_of(const CaseExtract& one, const RunExtract& run);

/// Everything of a run but its cases.
RunExtract extract_header(const Run& header, const std::string& label);
/// Throws Error for a rate without its duration.
void extract_case(const CaseResult& result, RunExtract& run);

}  // namespace scalemark::html
