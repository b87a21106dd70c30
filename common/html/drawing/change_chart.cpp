// SPDX-License-Identifier: Apache-2.0
// Forest plot of the changes of rows, in the order of the table. It consists of HTML elements
// placed in percent of the width, so that letters keep their size on a phone.
#include "common/html/drawing/change_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "common/html/drawing/svg.hpp"
#include "common/html/html.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxChanges = 20;
/// Ends of the axis and minimum gap between its numbers, in percent of the width.
constexpr double kAxisLeft = 3, kAxisRight = 97, kTickGap = 13;

/// ln(cost of B / cost of A) with its confidence interval.
struct Change {
  const compare::CompareRow* row = nullptr;
  double middle = 0, low = 0, high = 0;
};

std::vector<Change> changes_of(const compare::Comparison& comparison) {
  std::vector<Change> changes;
  for (const compare::CompareRow& row : comparison.rows) {
    if (!std::isfinite(row.change) || row.change <= -1 || row.better == Better::none) continue;
    Change change{&row, std::log1p(row.change), std::log1p(row.low), std::log1p(row.high)};
    if (row.better == Better::higher) change = {&row, -change.middle, -change.high, -change.low};
    changes.push_back(change);
    if (changes.size() == kMaxChanges) break;
  }
  return changes;
}

/// Half width of the axis in ln units: fits all points and most intervals; longer intervals are
/// cut.
double reach_of(const std::vector<Change>& changes, double threshold) {
  double reach = 3 * threshold;
  std::vector<double> ends;
  for (const Change& change : changes) {
    reach = std::max(reach, 1.2 * std::abs(change.middle));
    if (std::isfinite(change.low) && std::isfinite(change.high))
      ends.push_back(std::max(std::abs(change.low), std::abs(change.high)));
  }
  std::ranges::sort(ends);
  if (!ends.empty()) reach = std::max(reach, std::min(1.05 * ends[ends.size() * 3 / 4], 2 * reach));
  return std::min(reach, 10.0);
}

/// Maps a change to its position in percent of the width.
struct ChangeAxis {
  double reach;

  double at(double change) const {
    return kAxisLeft + (change + reach) / (2 * reach) * (kAxisRight - kAxisLeft);
  }
  double within(double change) const { return std::clamp(at(change), kAxisLeft, kAxisRight); }
};

/// Round percentages from 0 outwards, as many as fit on the axis.
std::vector<int> axis_percents(const ChangeAxis& axis) {
  constexpr std::array kUp = {1, 2, 5, 10, 20, 50, 100, 200, 400, 900, 1900, 4900, 9900, 99900};
  constexpr std::array kDown = {-1, -2, -5, -10, -20, -35, -50, -75, -90, -99};
  std::vector<int> percents = {0};
  const auto add = [&](const auto& candidates) {
    double last = axis.at(0);
    for (const int one : candidates) {
      const double change = std::log1p(one / 100.0), place = axis.at(change);
      if (std::abs(change) > axis.reach || std::abs(place - last) < kTickGap) continue;
      percents.push_back(one);
      last = place;
    }
  };
  add(kUp);
  add(kDown);
  std::ranges::sort(percents);
  return percents;
}

std::string percent(double log_change) {
  const double value = 100 * std::expm1(log_change);
  // Prints whole digits for large values: +2184, not +2.18e+03.
  if (std::abs(value) >= 999.5) return fmt::format("{:+.0f}", value);
  return fmt::format("{:+.3g}", std::abs(value) < 0.005 ? 0.0 : value);
}

std::size_t style_of(compare::Verdict verdict) {
  return verdict == compare::Verdict::regression     ? 1
         : verdict == compare::Verdict::improved     ? 2
         : verdict == compare::Verdict::inconclusive ? 4
                                                     : 0;
}

const char* mark_of_verdict(compare::Verdict verdict) {
  return verdict == compare::Verdict::regression     ? "bad"
         : verdict == compare::Verdict::inconclusive ? "warn"
                                                     : "good";
}

std::string piece(const char* css, double left, double width = 0) {
  return width > 0 ? fmt::format("<i class=\"{}\" style=\"left:{}%;width:{}%\"></i>", css, px(left),
                                 px(width))
                   : fmt::format("<i class=\"{}\" style=\"left:{}%\"></i>", css, px(left));
}

/// "+327 [+321, +333]".
std::string change_text(const Change& change) {
  std::string text = percent(change.middle);
  if (std::isfinite(change.low) && std::isfinite(change.high))
    text += fmt::format(" [{}, {}]", percent(change.low), percent(change.high));
  return text;
}

std::string plot_of(const Change& change, const ChangeAxis& axis, const std::string& backdrop) {
  const std::size_t style = style_of(change.row->verdict);
  std::string html = fmt::format("<span class=\"fp s{}\">{}", style, backdrop);
  if (std::isfinite(change.low) && std::isfinite(change.high)) {
    const double left = axis.within(change.low), right = axis.within(change.high);
    html += piece("fi", left, std::max(right - left, 0.1));
    if (axis.at(change.low) < kAxisLeft) html += piece("fa fal", kAxisLeft);
    if (axis.at(change.high) > kAxisRight) html += piece("fa far", kAxisRight);
  }
  return html + piece("fm", axis.within(change.middle)) + "</span>";
}

std::string row_of_plot(const Change& change, const ChangeAxis& axis, const std::string& backdrop) {
  const compare::CompareRow& row = *change.row;
  const std::string key = key_text(row.key);
  const std::size_t blank = std::min(key.find(' '), key.size());
  const std::string_view verdict = compare::to_string(row.verdict);
  return fmt::format(
      "<div class=\"fr\" title=\"{}\"><span class=\"fl\"><b class=\"{}\">{}</b> {} <span "
      "class=\"q\">{}</span></span>{}<span class=\"fn\">{}</span></div>\n",
      text_of(fmt::format("{} {}: {} %; {} {}", verdict, key, change_text(change), row.metric,
                          "95 % interval in brackets")),
      mark_of_verdict(row.verdict), verdict, text_of(short_name(key.substr(0, blank))),
      text_of(key.substr(std::min(blank + 1, key.size())), 160), plot_of(change, axis, backdrop),
      text_of(change_text(change)));
}

/// The numbers of the axis, and a line that explains its directions.
std::string axis_of_plot(const ChangeAxis& axis, const char* less, const char* more) {
  std::string numbers;
  for (const int one : axis_percents(axis)) {
    numbers += fmt::format("<span class=\"ft\" style=\"left:{}%\">{}</span>",
                           px(axis.at(std::log1p(one / 100.0))),
                           one == 0 ? std::string("0") : fmt::format("{:+}", one));
  }
  return fmt::format(
      "<div class=\"fr fx\"><span class=\"fl\"></span><span class=\"fp\">{}</span><span "
      "class=\"fn\"></span></div>\n"
      "<div class=\"fr fd\"><span class=\"fl\"></span><span class=\"fw\"><span>\u2190 {}</span>"
      "<span>cost of B against A [%]</span><span>{} \u2192</span></span><span "
      "class=\"fn\"></span></div>\n",
      numbers, less, more);
}

bool is_speed(const Change& change) {
  const std::string& unit = change.row->unit;
  return unit == "s" || unit.ends_with("/s");
}

}  // namespace

std::string change_chart(const compare::Comparison& comparison) {
  const std::vector<Change> changes = changes_of(comparison);
  if (changes.empty()) return {};
  const double threshold = std::log1p(comparison.options.threshold);
  const ChangeAxis axis{reach_of(changes, threshold)};
  std::string backdrop = piece("fb", axis.at(-threshold), axis.at(threshold) - axis.at(-threshold));
  for (const int one : axis_percents(axis))
    backdrop += piece(one == 0 ? "fz" : "fg", axis.at(std::log1p(one / 100.0)));
  std::string rows;
  for (const Change& change : changes) rows += row_of_plot(change, axis, backdrop);
  const bool speed = std::ranges::all_of(changes, is_speed);
  std::string sub = fmt::format(
      "Worst first, {} of {} rows. Point: change of the cost from A to B; line: its 95 % interval; "
      "grey band: up to {:g} %, the threshold; an arrow: the interval extends beyond the axis.",
      changes.size(), comparison.rows.size(), 100 * comparison.options.threshold);
  if (std::ranges::any_of(changes,
                          [](const Change& one) { return one.row->better == Better::higher; }))
    sub += " Of a rate the cost is its inverse: half the bandwidth is +100 %.";
  return fmt::format(
      "<figure class=\"broad forest\"><figcaption>How much slower or faster B is, row by row<span "
      "class=\"sub\">{}</span></figcaption>\n<div class=\"fr fh\"><span class=\"fl\">case</span>"
      "<span class=\"fp\"></span><span class=\"fn\">change % [95 % interval]</span></div>\n"
      "{}{}</figure>\n",
      text_of(sub, 1000), rows,
      axis_of_plot(axis, speed ? "B faster" : "B better", speed ? "B slower" : "B worse"));
}

}  // namespace scalemark::html
