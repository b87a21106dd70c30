// SPDX-License-Identifier: Apache-2.0
// A page of predicted times over the number of ranks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/html/drawing/chart.hpp"
#include "common/html/html.hpp"

namespace scalemark::html {

/// A line over ranks: measured or predicted times in s, ascending in ranks. Points of predictions
/// may have an interval.
struct RanksLine {
  std::string name;  ///< "64 KiB", "slowest rank"
  std::vector<Point> predicted, measured;
};

/// A figure of the page.
struct RanksFigure {
  std::string key;  ///< of the rows, without ranks and sizes
  std::vector<RanksLine> lines;
  std::vector<TableColumn> columns;  ///< of a table below it; empty = none
  std::vector<TableRow> rows;
  std::vector<std::string> notes;  ///< plain text
};

/// The whole page. `sources` says what the predictions are made from.
std::string scaling_page(std::span<const RanksFigure> figures, const std::string& sources);

}  // namespace scalemark::html
