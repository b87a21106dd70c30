// SPDX-License-Identifier: Apache-2.0
// Draws predicted lines over ranks, with markers where there are measured times.
#include "common/html/scaling_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/version.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxRankLines = 6;

/// One predicted line, and markers of the same style on it.
void add_line(const RanksLine& line, Chart& chart) {
  Series predicted{.name = line.name,
                   .points = line.predicted,
                   .style = chart.series.size() / 2,
                   .markers = line.predicted.size() < 2,  // a single point has no line
                   .thin = true};
  Series measured{.name = line.name + ", measured",
                  .points = line.measured,
                  .style = predicted.style,
                  .named = false};
  chart.series.push_back(std::move(predicted));
  chart.series.push_back(std::move(measured));
}

std::string figure_of(const RanksFigure& one) {
  const std::string key = key_text(one.key);
  const std::size_t blank = std::min(key.find(' '), key.size());
  Chart chart;
  chart.title = key.substr(0, blank);
  chart.subtitle = key.substr(std::min(blank + 1, key.size()));
  chart.description = "Time over the number of ranks, predicted and where it was measured.";
  chart.x = {.title = "ranks", .kind = ScaleKind::log2, .unit = "1", .whole = true};
  chart.y = {.title = "time", .kind = ScaleKind::log10, .unit = "s"};
  // Of more lines the first, the last, and as many between.
  const std::size_t count = std::min(one.lines.size(), kMaxRankLines);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = count < 2 ? 0 : i * (one.lines.size() - 1) / (count - 1);
    add_line(one.lines[place], chart);
  }
  std::string html = figure(chart);
  if (html.empty()) return {};
  html = fmt::format("<div class=\"grid\">\n{}</div>\n", html);
  if (!one.columns.empty()) html += table("", one.columns, one.rows);
  for (const std::string& text : one.notes) html += note(text);
  if (count < one.lines.size())
    html += note(fmt::format("Drawn: {} of {} lines.", count, one.lines.size()));
  return html;
}

}  // namespace

std::string scaling_page(std::span<const RanksFigure> figures, const std::string& sources) {
  std::string html;
  std::size_t left_out = 0;
  for (const RanksFigure& one : figures) {
    const std::string drawn = figure_of(one);
    if (html.size() + drawn.size() > kCurveBytes)
      ++left_out;
    else
      html += drawn;
  }
  if (left_out > 0)
    html += note(
        fmt::format("{} are not drawn: -a chooses among them.", text::counted(left_out, "figure")));
  return document("Scalemark scaling", "<h1>Scalemark scaling</h1>\n" + note(sources),
                  {{"scaling", "Predicted time over ranks", html}},
                  note(fmt::format("Made by Scalemark {} ({}). Lines are predicted; markers are "
                                   "medians of measured rows.",
                                   version(), git_revision())));
}

}  // namespace scalemark::html
