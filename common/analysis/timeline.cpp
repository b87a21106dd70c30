// SPDX-License-Identifier: Apache-2.0
// Reads table timeline.
#include "common/analysis/timeline.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/result/table_columns.hpp"

namespace scalemark::analysis {
namespace {

constexpr std::size_t kKindLength = 40;

}  // namespace

std::vector<RankTimeline> timelines(const CaseResult& result) {
  const auto found = result.tables.find(kTimelineTable);
  if (found == result.tables.end()) return {};
  const auto* rank = values_of<std::uint64_t>(found->second, "rank");
  const auto* what = values_of<std::string>(found->second, "what");
  const auto* index = values_of<std::uint64_t>(found->second, "index");
  const auto* t = values_of<std::uint64_t>(found->second, "t");
  const auto* duration = values_of<std::uint64_t>(found->second, "duration");
  if (rank == nullptr || what == nullptr || index == nullptr || t == nullptr || duration == nullptr)
    return {};
  const std::size_t rows = rank->size();
  if (what->size() != rows || index->size() != rows || t->size() != rows ||
      duration->size() != rows)
    return {};
  std::map<std::uint64_t, std::vector<TimelineEntry>> by_rank;
  for (std::size_t i = 0; i < rows; ++i) {
    by_rank[(*rank)[i]].push_back({.what = text::printable((*what)[i], kKindLength),
                                   .index = (*index)[i],
                                   .from = (*t)[i],
                                   .duration = (*duration)[i]});
  }
  std::vector<RankTimeline> all;
  for (auto& [number, entries] : by_rank) all.push_back({number, std::move(entries)});
  return all;
}

std::string describe(const TimelineEntry& entry) {
  if (entry.what == kStartPauseKind) return fmt::format("pause before epoch {}", entry.index);
  if (entry.what == kTestKind) return fmt::format("test after epoch {}", entry.index);
  if (entry.what == kTestPauseKind) return fmt::format("pause before test {}", entry.index);
  return fmt::format("{} {}", entry.what, entry.index);
}

}  // namespace scalemark::analysis
