// SPDX-License-Identifier: Apache-2.0
// Draws when each rank trained, tested and paused, one line per rank.
#include "common/analysis/timeline.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/html/drawing/scale.hpp"
#include "common/html/drawing/svg.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxDrawings = 8;
constexpr double kTimelineWidth = 760, kLabelWidth = 170, kLaneHeight = 24, kAxisHeight = 34;
constexpr const char *kEpochStyle = "b f s0", *kTestStyle = "f s2", *kPauseStyle = "f s1";

const char* style_of(const std::string& what) {
  if (what == analysis::kEpochKind) return kEpochStyle;
  return what == analysis::kTestKind ? kTestStyle : kPauseStyle;
}

std::string lane_name(const analysis::RankTimeline& line, const std::vector<RankInfo>& ranks) {
  const std::string name = fmt::format("rank {}", line.rank);
  if (line.rank >= ranks.size()) return name;
  const RankInfo& where = ranks[line.rank];
  return where.numa < 0 ? fmt::format("{}, {}", name, where.node)
                        : fmt::format("{}, NUMA {}, {}", name, where.numa, where.node);
}

/// Ranks of a NUMA node lie together.
std::vector<const analysis::RankTimeline*> by_place(
    const std::vector<analysis::RankTimeline>& lines, const std::vector<RankInfo>& ranks) {
  std::vector<const analysis::RankTimeline*> ordered;
  for (const analysis::RankTimeline& line : lines) ordered.push_back(&line);
  std::ranges::stable_sort(ordered, {}, [&](const analysis::RankTimeline* line) {
    return line->rank < ranks.size() ? std::pair(ranks[line->rank].node, ranks[line->rank].numa)
                                     : std::pair(std::string(), -1);
  });
  return ordered;
}

/// So that a pause is drawn over the epoch or test that it belongs to.
std::vector<analysis::TimelineEntry> shorter_last(std::vector<analysis::TimelineEntry> entries) {
  std::ranges::stable_sort(entries, std::greater(), &analysis::TimelineEntry::duration);
  return entries;
}

std::string drawing(const Row& row, const std::vector<RankInfo>& ranks) {
  const std::vector<analysis::RankTimeline>& lines = row.sample().timeline;
  double first = 0, last = 0;
  bool any = false;
  for (const analysis::RankTimeline& line : lines) {
    for (const analysis::TimelineEntry& entry : line.entries) {
      const double from = static_cast<double>(entry.from) * 1e-9,
                   to = from + static_cast<double>(entry.duration) * 1e-9;
      first = any ? std::min(first, from) : from;
      last = any ? std::max(last, to) : to;
      any = true;
    }
  }
  if (!any) return {};
  const double height = kAxisHeight + kLaneHeight * static_cast<double>(lines.size());
  const Scale scale(ScaleKind::linear, 0, last - first, kLabelWidth, kTimelineWidth - 12, "s");
  Svg svg(kTimelineWidth, height, "What each rank did when",
          fmt::format("{} ranks over {}", lines.size(), units::seconds(last - first)));
  const double bottom = height - kAxisHeight + 4;
  for (const Tick& tick : scale.ticks()) {
    svg.line(scale.at(tick.value), 0, scale.at(tick.value), bottom, "g");
    svg.text(scale.at(tick.value), bottom + 14, tick.label, "m q");
  }
  svg.text(kLabelWidth - 8, bottom + 14, scale.symbol(), "e q");
  double y = 2;
  for (const analysis::RankTimeline* line : by_place(lines, ranks)) {
    svg.text(0, y + 15, fitted(lane_name(*line, ranks), kLabelWidth - 8), "");
    for (const analysis::TimelineEntry& entry : shorter_last(line->entries)) {
      const double seconds = static_cast<double>(entry.duration) * 1e-9,
                   from = static_cast<double>(entry.from) * 1e-9 - first;
      const double x = scale.at(from);
      svg.rectangle(x, y, std::max(0.7, scale.at(from + seconds) - x - 0.5), kLaneHeight - 4,
                    style_of(entry.what),
                    fmt::format("rank {}: {}, {}", line->rank, analysis::describe(entry),
                                units::seconds(seconds)));
    }
    y += kLaneHeight;
  }
  return fmt::format(
      "<figure class=\"broad\"><figcaption>{}<span class=\"sub\">What each rank did when, "
      "since the first epoch began</span></figcaption>\n<div class=\"wide\" tabindex=\"0\" "
      "role=\"region\" aria-label=\"Timeline\"><div class=\"long\">{}</div></div><ul "
      "class=\"legend\">{}{}{}</ul>"
      "</figure>\n",
      text_of(row.key), svg.str(), legend_area(kEpochStyle, "epoch, without its test"),
      legend_area(kPauseStyle, "pause: the first batch is not there yet"),
      legend_area(kTestStyle, "test"));
}

}  // namespace

std::string timelines(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  std::string html;
  std::size_t drawn = 0;
  for (const Row& row : rows) {
    if (!row.ok() || row.sample().timeline.empty() || drawn == kMaxDrawings) continue;
    const auto one = std::ranges::find_if(
        row.cases, [](const CaseExtract* c) { return c != nullptr && c->status == Status::ok; });
    const std::size_t run = row.run_numbers[static_cast<std::size_t>(one - row.cases.begin())];
    const std::string figure = drawing(row, placement_of(**one, runs[run]));
    if (html.size() + figure.size() > kDrawingBytes) continue;
    html += figure;
    ++drawn;
  }
  return html;
}

}  // namespace scalemark::html
