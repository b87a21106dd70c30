// SPDX-License-Identifier: Apache-2.0
// What the page needs from a run. Cases are read one by one, so only one is in memory at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/analysis/gpu_paths.hpp"
#include "common/analysis/scaling.hpp"
#include "common/analysis/slow_link.hpp"
#include "common/analysis/timeline.hpp"
#include "common/html/drawing/chart.hpp"
#include "common/result/model.hpp"
#include "common/result/summarise.hpp"
#include "common/study/measured.hpp"

namespace scalemark::html {

/// Summary of one metric. All texts are shortened and free of control characters.
struct Quantity {
  std::string name, unit;
  Better better = Better::none;
  MetricKind kind = MetricKind::duration;
  Summary summary;
  std::optional<double> peak;  ///< fact peak_<name>, in the metric's unit
};

/// The samples of all ranks as a grid of at most 64 x 120 cells (ranks x iterations).
struct RankGrid {
  std::string metric;
  bool collective = false;  ///< ranks wait for each other within the timed part
  std::size_t ranks = 0, iterations = 0;
  std::size_t rows = 0, columns = 0;
  std::vector<float> cells;  ///< [row][column]: value farthest from the median / median
  /// Per rank: median over iterations of (value / median of that iteration over ranks).
  std::vector<float> effects;
  std::vector<float> slowest;  ///< per rank: share of iterations in which it was the slowest
  double imbalance = 0;        ///< largest |ln effect|

  /// First rank of a row; first_rank(row + 1) is one past its last.
  std::size_t first_rank(std::size_t row) const { return row * ranks / rows; }
};

/// Summary of a training.
struct Training {
  std::size_t steps = 0;
  std::vector<Point> loss;        ///< mean, minimum and maximum of a few steps each; x is the step
  std::vector<double> accuracy;   ///< after each epoch; empty if not stored
  double step = 0, wait = 0;      ///< s, medians; wait: for the data loader
  std::optional<double> exposed;  ///< s, communication not overlapped with computation
};

struct CaseExtract {
  std::string key, name;
  std::map<std::string, std::string> params;  ///< the axes of the key
  Status status = Status::ok;                 ///< also failed if the data verification failed
  std::string reason;
  std::vector<Quantity> quantities;  ///< the primary metric first; without bookkeeping metrics
  std::vector<float> quantiles;      ///< of the primary metric, see quantiles_of()
  std::optional<RankGrid> grid;
  std::optional<Training> training;
  std::optional<analysis::GpuPairs> gpu_pairs;
  std::vector<analysis::RankTimeline> timeline;  ///< of the first ranks, without steps
  std::optional<std::size_t> placement;          ///< index in RunExtract::moved; empty: not moved

  const Quantity* find(std::string_view metric) const;
};

/// Where the ranks ran in some of the cases, after --resume on other nodes or cores.
struct Placement {
  std::vector<RankInfo> ranks;
  std::size_t cases = 0;
};

struct RunExtract {
  std::string label, uuid, created, exit_reason, command_line;
  bool complete = true;
  std::size_t planned = 0;
  std::map<std::string, std::string> facts;  ///< of the environment
  analysis::GpuPaths gpu_paths;  ///< between the GPUs of a node, where all nodes have the same
  std::vector<RankInfo> ranks;
  std::vector<Placement> moved;  ///< placements other than `ranks`, in order of their cases
  std::vector<CaseExtract> cases;
  std::vector<analysis::ScalingCase> scaling;
  std::vector<study::Measured> studied;  ///< cases of benchmarks that the studies use
};

/// The placement of the ranks during a case.
const std::vector<RankInfo>& placement_of(const CaseExtract& one, const RunExtract& run);

/// Everything of a run except its cases.
RunExtract extract_header(const Run& header, const std::string& label);
/// Throws Error for a rate without its duration.
void extract_case(const CaseResult& result, RunExtract& run);

}  // namespace scalemark::html
