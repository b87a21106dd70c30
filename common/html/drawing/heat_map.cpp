// SPDX-License-Identifier: Apache-2.0
// Draws heat maps with one SVG path per colour, which keeps thousands of cells small.
#include "common/html/drawing/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "common/html/drawing/svg.hpp"
#include "common/html/html.hpp"

namespace scalemark::html {
namespace {

constexpr double kMapWidth = 360, kMapLeft = 56, kMapRight = 354, kMapTop = 8;
constexpr std::array<double, 8> kEdges = {0.9, 0.98, 1.02, 1.05, 1.1, 1.25, 1.5, 2};
constexpr std::array<const char*, 9> kWords = {
    "more than 10 % faster", "2 to 10 % faster",   "within 2 %",
    "2 to 5 % slower",       "5 to 10 % slower",   "10 to 25 % slower",
    "25 to 50 % slower",     "50 to 100 % slower", "more than twice as long"};

/// The cells of one colour as rectangles; adjacent cells of a row are merged.
std::string path_of(const RankGrid& grid, std::size_t step, double width, double height) {
  std::string data;
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (std::size_t column = 0; column < grid.columns; ++column) {
      const auto is = [&](std::size_t at) {
        return heat_step(static_cast<double>(grid.cells[row * grid.columns + at])) == step;
      };
      if (!is(column)) continue;
      const std::size_t first = column;
      while (column + 1 < grid.columns && is(column + 1)) ++column;
      data += fmt::format("M{} {}H{}V{}H{}Z", px(kMapLeft + width * static_cast<double>(first)),
                          px(kMapTop + height * static_cast<double>(row)),
                          px(kMapLeft + width * static_cast<double>(column + 1)),
                          px(kMapTop + height * static_cast<double>(row + 1)),
                          px(kMapLeft + width * static_cast<double>(first)));
    }
  }
  return data;
}

}  // namespace

std::size_t heat_step(double ratio) {
  return static_cast<std::size_t>(std::ranges::upper_bound(kEdges, ratio) - kEdges.begin());
}

std::string heat_legend() {
  std::string items;
  for (std::size_t step = 0; step < kWords.size(); ++step)
    items += legend_area(fmt::format("h{}", step), kWords[step]);
  return fmt::format("<ul class=\"legend\">{}</ul>\n", items);
}

std::string heat_map(const RankGrid& grid, std::string_view title, std::string_view subtitle,
                     const std::string& numbers) {
  const double row = std::clamp(220.0 / static_cast<double>(grid.rows), 3.0, 24.0);
  const double bottom = kMapTop + row * static_cast<double>(grid.rows);
  Svg svg(kMapWidth, bottom + 36, title,
          fmt::format("{} of {} ranks over {} iterations; the table below names the ranks.",
                      grid.metric, grid.ranks, grid.iterations));
  const double column = (kMapRight - kMapLeft) / static_cast<double>(grid.columns);
  for (std::size_t step = 0; step < kWords.size(); ++step)
    svg.path(path_of(grid, step, column, row), fmt::format("h{}", step));
  // A label is about 12 units high.
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(13 / row)));
  for (std::size_t i = 0; i < grid.rows; i += every) {
    const double y = kMapTop + row * (static_cast<double>(i) + 0.5) + 4;
    svg.text(kMapLeft - 5, std::max(y, 12.0), fmt::format("rank {}", grid.first_rank(i)), "q e");
  }
  svg.line(kMapLeft, bottom, kMapRight, bottom, "a");
  svg.text(kMapLeft, bottom + 15, "1", "q");
  svg.text(kMapRight, bottom + 15, std::to_string(grid.iterations), "q e");
  svg.text((kMapLeft + kMapRight) / 2, bottom + 30, "iteration", "m");
  const std::string waiting =
      grid.collective
          ? fmt::format("{} (ranks wait for each other: a late rank has the shortest)", grid.metric)
          : grid.metric;
  return fmt::format(
      "<figure><figcaption>{}<span class=\"sub\">{}</span><span class=\"sub\">{}</span>"
      "</figcaption>\n{}{}</figure>\n",
      text_of(title), text_of(waiting), text_of(subtitle), svg.str(), folded("Numbers", numbers));
}

}  // namespace scalemark::html
