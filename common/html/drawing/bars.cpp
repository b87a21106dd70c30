// SPDX-License-Identifier: Apache-2.0
// Draws groups of bars as HTML elements.
#include "common/html/drawing/bars.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/html/drawing/svg.hpp"
#include "common/html/html.hpp"

namespace scalemark::html {
namespace {

bool has_length(const Bar& bar) { return std::isfinite(bar.value) && bar.value > 0; }

std::string bar_line(const Bar& bar, double longest) {
  const double width = has_length(bar) ? 100 * bar.value / longest : 0;
  return fmt::format(
      "<div class=\"br\" title=\"{}\"><span class=\"bl\">{}</span><span class=\"bp\"><i "
      "class=\"s{}\" "
      "style=\"width:{}%\"></i></span><span class=\"bn\">{}</span></div>\n",
      text_of(bar.hover), text_of(bar.name), bar.style % kSeriesStyles, px(width),
      text_of(bar.text));
}

}  // namespace

std::string bar_figure(const std::string& title, const std::string& subtitle,
                       const std::vector<BarGroup>& groups) {
  std::string lines;
  for (const BarGroup& group : groups) {
    double longest = 0;
    for (const Bar& bar : group.bars) {
      if (has_length(bar)) longest = std::max(longest, bar.value);
    }
    if (!(longest > 0)) continue;
    lines += fmt::format("<div class=\"bg\"><span class=\"bt\">{}{}</span>\n", text_of(group.title),
                         group.note.empty()
                             ? std::string()
                             : fmt::format(" <span class=\"q\">{}</span>", text_of(group.note)));
    for (const Bar& bar : group.bars) lines += bar_line(bar, longest);
    lines += "</div>\n";
  }
  if (lines.empty()) return {};
  const bool narrow = std::ranges::all_of(groups, [](const BarGroup& group) {
    return std::ranges::all_of(group.bars, [](const Bar& bar) { return bar.name.size() < 24; });
  });
  return fmt::format(
      "<figure class=\"broad bars{}\"><figcaption>{}<span class=\"sub\">{}</span></figcaption>\n"
      "{}</figure>\n",
      narrow ? " brief" : "", text_of(title), text_of(subtitle), lines);
}

}  // namespace scalemark::html
