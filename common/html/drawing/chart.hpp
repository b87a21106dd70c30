// SPDX-License-Identifier: Apache-2.0
// Line charts: curves with intervals, step curves, ideal lines, horizontal peaks.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "common/html/drawing/scale.hpp"
#include "common/html/html.hpp"

namespace scalemark::html {

struct Point {
  double x = 0, y = 0;
  /// Confidence interval; NaN if there is none.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct Series {
  std::string name;
  std::vector<Point> points;  ///< ascending in x
  std::size_t style = 0;
  bool markers = true;
  bool thin = false;
  bool steps = false;    ///< level from each point to the next
  bool named = true;     ///< listed in the legend
  bool in_table = true;  ///< listed in the table of numbers below the chart
};

struct Axis {
  std::string title;
  ScaleKind kind = ScaleKind::linear;
  std::string unit;        ///< UCUM
  bool from_zero = false;  ///< linear: the axis includes 0
  bool whole = false;      ///< numbers without prefix or fraction (ranks, steps)
};

/// A horizontal line, such as a peak.
struct Level {
  double y = 0;
  std::string name;
};

struct Chart {
  std::string title, subtitle;
  std::string description;  ///< for screen readers
  Axis x, y;
  std::vector<Series> series;
  std::vector<Level> levels;
  std::string diagonal;  ///< name of a dashed reference drawn from `ideal`; empty = none
  std::vector<Point> ideal;
};

/// The figure: title, drawing, legend, and a folded table of numbers (`numbers` if given). Empty if
/// no point can be drawn.
std::string figure(const Chart& chart, const std::string& numbers = {});

/// The points as a table with one line per x and one column per series.
std::string numbers_of(const Chart& chart);

}  // namespace scalemark::html
