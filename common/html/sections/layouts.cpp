// SPDX-License-Identifier: Apache-2.0
// Compares NHWC with NCHW: the same work in both layouts, as adjacent bars.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "common/base/key.hpp"
#include "common/base/units.hpp"
#include "common/html/drawing/bars.hpp"
#include "common/html/sections/sections.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxPairs = 60;

/// The rows of a case with layout nchw and nhwc.
using LayoutPair = std::array<const Row*, 2>;

Bar layout_bar(const Row& row, const Quantity& quantity, const char* name, std::size_t style) {
  const RowValue value = row.value(quantity.name);
  const std::string text = units::quantity(value.value, quantity.unit);
  return {name, value.value, text,
          fmt::format("{}: {} {} ({})", key_text(row.key), text,
                      interval_text(value, quantity.unit), interval_words(value.runs)),
          style};
}

}  // namespace

std::string layouts(const std::vector<Group>& groups) {
  std::string html;
  for (const Group& group : groups) {
    std::map<std::string, LayoutPair, ByNumbers> pairs;
    for (const Row* row : group.rows) {
      const std::string layout = axis_of(*row, "layout");
      const bool nhwc = layout == "nhwc";
      if (row->sample().quantities.empty() || (!nhwc && layout != "nchw")) continue;
      pairs[key_without(row->key, {"layout"})][nhwc ? 1 : 0] = row;
    }
    std::vector<BarGroup> bars;
    for (const auto& [key, pair] : pairs) {
      if (pair[0] == nullptr || pair[1] == nullptr || bars.size() == kMaxPairs) continue;
      const Quantity& primary = pair[0]->sample().quantities.front();
      const Quantity* other = pair[1]->sample().find(primary.name);
      if (other == nullptr || primary.kind != MetricKind::duration) continue;
      const double ratio = pair[0]->value(primary.name).value / pair[1]->value(primary.name).value;
      if (!std::isfinite(ratio) || !(ratio > 0)) continue;
      const std::string words = ratio >= 1
                                    ? fmt::format("NHWC is {:.2f} times as fast", ratio)
                                    : fmt::format("NHWC takes {:.2f} times as long", 1 / ratio);
      bars.push_back(
          {group.label(*pair[0], "layout"),
           words,
           {layout_bar(*pair[0], primary, "NCHW", 0), layout_bar(*pair[1], *other, "NHWC", 1)}});
    }
    const std::string figure =
        bar_figure(fmt::format("{}: NHWC against NCHW", group.name),
                   fmt::format("{}; shorter is faster, and each pair has its own scale",
                               group.constants_text()),
                   bars);
    if (html.size() + figure.size() < kDrawingBytes) html += figure;
  }
  return html;
}

}  // namespace scalemark::html
