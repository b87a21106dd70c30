// SPDX-License-Identifier: Apache-2.0
// Draws line charts: axes, curves, and intervals as ribbons.
#include "common/html/drawing/chart.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/html/drawing/svg.hpp"

namespace scalemark::html {
namespace {

// As wide as a phone, so that letters keep their size there.
constexpr double kWidth = 360, kHeight = 236, kTop = 24, kBottom = 196, kRight = 350;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value, const Axis& axis) {
    if (!std::isfinite(value) || (axis.kind != ScaleKind::linear && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return !(low <= high); }
};

void add_all(const std::vector<Point>& points, const Chart& chart, Range& x, Range& y) {
  for (const Point& point : points) {
    x.add(point.x, chart.x);
    for (const double value : {point.y, point.low, point.high}) y.add(value, chart.y);
  }
}

/// Adds some margin around the values. Axes with `from_zero` start at 0.
Scale scale_of(const Axis& axis, Range range, double from, double to, double room) {
  if (axis.from_zero) range.low = std::min(range.low, 0.0);
  if (axis.kind == ScaleKind::linear) {
    const double more = room * (range.high - range.low);
    if (range.low != 0) range.low -= more;
    range.high += more;
  } else {
    const double more = std::pow(range.high / range.low, room);
    range.low /= more;
    range.high *= more;
  }
  return {axis.kind, range.low, range.high, from, to, axis.whole ? std::string("1") : axis.unit};
}

std::string titled(const Axis& axis, const Scale& scale) {
  return scale.symbol().empty() ? axis.title : fmt::format("{} [{}]", axis.title, scale.symbol());
}

struct Plane {
  Scale x, y;

  bool shown(const Point& point) const { return x.shown(point.x) && y.shown(point.y); }
  /// One command of an SVG path: M (move) or L (line) to a point.
  std::string step(char command, double at_x, double at_y) const {
    return fmt::format("{}{} {}", command, px(x.at(at_x)), px(y.at(at_y)));
  }
};

void draw_axes(const Chart& chart, const Plane& plane, double left, Svg& svg) {
  for (const Tick& tick : plane.y.ticks()) {
    const double y = plane.y.at(tick.value);
    if (y < kTop - 1 || y > kBottom + 1) continue;
    svg.line(left, y, kRight, y, "g");
    svg.text(left - 5, y + 4, tick.label, "q e");
  }
  double last = 0;
  for (const Tick& tick : plane.x.ticks()) {
    const double x = plane.x.at(tick.value);
    if (x < left - 1 || x > kRight + 1) continue;
    svg.line(x, kBottom, x, kBottom + 4, "a");
    // Keeps labels inside the drawing and skips those too close to the previous one.
    const double half = 3.7 * static_cast<double>(tick.label.size());
    const double middle = std::min(x, kWidth - half);
    if (middle - half < last) continue;
    svg.text(middle, kBottom + 17, tick.label, "q m");
    last = middle + half + 6;
  }
  svg.line(left, kBottom, kRight, kBottom, "a");
  svg.text(2, 12, fitted(titled(chart.y, plane.y), kWidth - 4), "");
  svg.text((left + kRight) / 2, kHeight - 4, fitted(titled(chart.x, plane.x), kRight - left), "m");
}

void draw_ribbon(const Series& series, const Plane& plane, Svg& svg) {
  std::string there, back;
  std::size_t count = 0;
  for (const Point& point : series.points) {
    if (!plane.shown(point) || !plane.y.shown(point.low) || !plane.y.shown(point.high)) continue;
    there += plane.step(count++ == 0 ? 'M' : 'L', point.x, point.high);
    back.insert(0, plane.step('L', point.x, point.low));
  }
  if (count > 1) svg.path(there + back + "Z", fmt::format("b f s{}", series.style % kSeriesStyles));
}

std::string axis_cell(double value, const Axis& axis) {
  return axis.whole ? fmt::format("{:.10g}", value) : units::quantity(value, axis.unit);
}

/// "32 KiB: 3.678 us [3.642 us, 3.689 us]".
std::string point_text(const Chart& chart, const Point& point) {
  std::string text =
      fmt::format("{}: {}", axis_cell(point.x, chart.x), axis_cell(point.y, chart.y));
  if (std::isfinite(point.low) && std::isfinite(point.high) && point.low < point.high) {
    text += fmt::format(" [{}, {}]", axis_cell(point.low, chart.y), axis_cell(point.high, chart.y));
  }
  return text;
}

void draw_series(const Chart& chart, const Series& series, const Plane& plane, Svg& svg) {
  std::string data;
  std::optional<double> level;
  for (const Point& point : series.points) {
    if (!plane.shown(point)) continue;
    if (series.steps && level) data += fmt::format("H{}", px(plane.x.at(point.x)));
    data += plane.step(data.empty() ? 'M' : 'L', point.x, point.y);
    level = point.y;
  }
  svg.path(data, fmt::format("l{} {}", series.thin ? " t" : "", stroke_of(series.style)));
  if (!series.markers) return;
  for (const Point& point : series.points) {
    if (!plane.shown(point)) continue;
    svg.marker(plane.x.at(point.x), plane.y.at(point.y), series.style, point_text(chart, point));
  }
}

void draw_levels(const Chart& chart, const Plane& plane, double left, Svg& svg) {
  for (const Level& level : chart.levels) {
    if (!plane.y.shown(level.y)) continue;
    const double y = plane.y.at(level.y);
    svg.line(left, y, kRight, y, "r");
    svg.text(kRight, y - 4, level.name, "q e");
  }
  std::string data;
  for (const Point& point : chart.ideal) {
    if (plane.shown(point)) data += plane.step(data.empty() ? 'M' : 'L', point.x, point.y);
  }
  svg.path(data, "r");
}

/// Width needed by the longest label.
double left_of(const Scale& y) {
  std::size_t longest = 2;
  for (const Tick& tick : y.ticks()) longest = std::max(longest, tick.label.size());
  return std::min(12 + 6.1 * static_cast<double>(longest), 110.0);
}

std::string legend_of(const Chart& chart) {
  std::string items;
  std::size_t named = 0;
  for (const Series& series : chart.series) {
    if (!series.named || series.points.empty()) continue;
    items += legend_entry(series.style, series.markers, series.name);
    ++named;
  }
  if (!chart.diagonal.empty()) {
    Svg sample(34, 14, chart.diagonal, "reference line");
    sample.line(1, 7, 33, 7, "r");
    items += fmt::format("<li>{}<span>{}</span></li>", sample.str(), text_of(chart.diagonal));
    ++named;
  }
  return named == 0 ? std::string() : fmt::format("<ul class=\"legend\">{}</ul>", items);
}

}  // namespace

std::string numbers_of(const Chart& chart) {
  std::map<double, std::vector<std::string>> lines;
  std::vector<TableColumn> columns = {{chart.x.title, true}};
  for (const Series& series : chart.series) {
    if (series.in_table) columns.push_back({series.name, true});
  }
  std::size_t column = 0;
  for (const Series& series : chart.series) {
    if (!series.in_table) continue;
    for (const Point& point : series.points) {
      std::vector<std::string>& cells = lines[point.x];
      cells.resize(columns.size() - 1, "-");
      cells[column] = axis_cell(point.y, chart.y);
      if (std::isfinite(point.low) && std::isfinite(point.high) && point.low < point.high) {
        cells[column] +=
            fmt::format(" [{}, {}]", axis_cell(point.low, chart.y), axis_cell(point.high, chart.y));
      }
    }
    ++column;
  }
  std::vector<TableRow> rows;
  for (auto& [x, cells] : lines) {
    TableRow row;
    row.cells = {axis_cell(x, chart.x)};
    row.cells.insert(row.cells.end(), cells.begin(), cells.end());
    rows.push_back(std::move(row));
  }
  return table(fmt::format("{}: {}", chart.title, chart.y.title), columns, rows);
}

std::string figure(const Chart& chart, const std::string& numbers) {
  Range x, y;
  for (const Series& series : chart.series) add_all(series.points, chart, x, y);
  if (x.empty() || y.empty()) return {};
  for (const Level& level : chart.levels) y.add(level.y, chart.y);
  add_all(chart.ideal, chart, x, y);
  const Scale vertical = scale_of(chart.y, y, kBottom, kTop + 4, 0.06);
  const double left = left_of(vertical);
  const Plane plane{scale_of(chart.x, x, left, kRight, 0.02), vertical};
  Svg svg(kWidth, kHeight, chart.title, chart.description);
  draw_axes(chart, plane, left, svg);
  for (const Series& series : chart.series) draw_ribbon(series, plane, svg);
  draw_levels(chart, plane, left, svg);
  for (const Series& series : chart.series) draw_series(chart, series, plane, svg);
  return fmt::format("<figure><figcaption>{}{}</figcaption>\n{}{}\n{}</figure>\n",
                     text_of(chart.title),
                     chart.subtitle.empty()
                         ? std::string()
                         : fmt::format("<span class=\"sub\">{}</span>", text_of(chart.subtitle)),
                     svg.str(), legend_of(chart),
                     folded("Numbers", numbers.empty() ? numbers_of(chart) : numbers));
}

}  // namespace scalemark::html
