// SPDX-License-Identifier: Apache-2.0
// Points and intervals of changes, in the order of the table.
#include "common/page/change_chart.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "common/page/html.hpp"
#include "common/page/scale.hpp"
#include "common/page/svg.hpp"

namespace scalemark::page {
namespace {

constexpr std::size_t kMostChanges = 15;
constexpr double kChangeWidth = 360, kChangeLine = 50, kChangeTop = 4, kChangeLeft = 6,
                 kChangeRight = 354;

/// ln(cost of B / cost of A).
struct Change {
  const report::CompareRow* row = nullptr;
  double middle = 0, low = 0, high = 0;
};

std::vector<Change> changes_of(const report::Comparison& comparison) {
  std::vector<Change> changes;
  for (const report::CompareRow& row : comparison.rows) {
    if (!std::isfinite(row.change) || row.change <= -1 || row.better == Better::none) continue;
    Change change{&row, std::log1p(row.change), std::log1p(row.low), std::log1p(row.high)};
    if (row.better == Better::higher) change = {&row, -change.middle, -change.high, -change.low};
    changes.push_back(change);
    if (changes.size() == kMostChanges) break;
  }
  return changes;
}

/// As wide as the points need; an interval may be cut off.
double reach_of(const std::vector<Change>& changes, double threshold) {
  double reach = 3 * threshold;
  for (const Change& change : changes) reach = std::max(reach, 1.5 * std::abs(change.middle));
  return std::min(reach, 10.0);
}

std::string percent(double log_change) {
  return fmt::format("{:+.3g} %", 100 * std::expm1(log_change));
}

std::size_t style_of(report::Verdict verdict) {
  return verdict == report::Verdict::regression     ? 1
         : verdict == report::Verdict::improved     ? 2
         : verdict == report::Verdict::inconclusive ? 4
                                                    : 0;
}

void draw_row(const Change& change, const Scale& scale, double threshold, double y, Svg& svg) {
  const report::CompareRow& row = *change.row;
  const std::size_t blank = std::min(row.key.find(' '), row.key.size());
  svg.text(kChangeLeft, y + 12,
           fitted(fmt::format("{} {} {}", report::to_string(row.verdict),
                              percent(std::log1p(row.change)), row.key.substr(0, blank)),
                  kChangeRight - kChangeLeft),
           "");
  svg.text(kChangeLeft, y + 26,
           fitted(row.key.substr(std::min(blank + 1, row.key.size())), kChangeRight - kChangeLeft),
           "q");
  // The band stands under the interval only, so that it crosses no letter.
  const double middle = y + 38;
  svg.rectangle(scale.at(-threshold), middle - 6, scale.at(threshold) - scale.at(-threshold), 12,
                "k");
  svg.line(scale.at(0), middle - 6, scale.at(0), middle + 6, "a");
  const auto at = [&](double value) {
    return std::clamp(scale.at(value), kChangeLeft, kChangeRight);
  };
  if (std::isfinite(change.low) && std::isfinite(change.high)) {
    svg.line(at(change.low), middle, at(change.high), middle,
             fmt::format("l s{}", style_of(row.verdict)));
  }
  svg.marker(at(change.middle), middle, style_of(row.verdict));
}

}  // namespace

std::string change_chart(const report::Comparison& comparison) {
  const std::vector<Change> changes = changes_of(comparison);
  if (changes.empty()) return {};
  const double threshold = std::log1p(comparison.options.threshold);
  const double reach = reach_of(changes, threshold);
  const Scale scale(ScaleKind::linear, -reach, reach, kChangeLeft, kChangeRight, "1");
  const double bottom = kChangeTop + kChangeLine * static_cast<double>(changes.size());
  Svg svg(kChangeWidth, bottom + 40, "Changes of the cost from A to B",
          "A point and the 95 % interval for each row, worst first; the table has the numbers.");
  for (std::size_t i = 0; i < changes.size(); ++i)
    draw_row(changes[i], scale, threshold, kChangeTop + kChangeLine * static_cast<double>(i), svg);
  svg.line(kChangeLeft, bottom, kChangeRight, bottom, "a");
  svg.text(kChangeLeft, bottom + 15, percent(-reach), "q");
  svg.text(scale.at(0), bottom + 15, "0", "q m");
  svg.text(kChangeRight, bottom + 15, percent(reach), "q e");
  svg.text(kChangeLeft, bottom + 33, "better in B", "");
  svg.text(kChangeRight, bottom + 33, "worse in B", "e");
  return fmt::format(
      "<div class=\"grid\"><figure><figcaption>Changes of the cost, with 95 % intervals<span "
      "class=\"sub\">{}</span></figcaption>\n{}</figure></div>\n",
      text_of(fmt::format("the grey band is what does not matter (up to {:g} %); {} of {} rows",
                          100 * comparison.options.threshold, changes.size(),
                          comparison.rows.size())),
      svg.str());
}

}  // namespace scalemark::page
