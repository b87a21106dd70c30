// SPDX-License-Identifier: Apache-2.0
// Joins the parts of a run that was stored in several files.
#include "common/compare/join_runs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::compare {
namespace {

bool are_parts(const RunDigest& one, const RunDigest& other) {
  if (!one.stands_for.empty() || !other.stands_for.empty()) return false;
  const bool same_uuid = !one.uuid.empty() && one.uuid == other.uuid;
  const bool same_name = !one.imported_as.empty() && one.imported_as == other.imported_as;
  if (!same_uuid && !same_name) return false;
  return std::ranges::none_of(other.keys,
                              [&](const std::string& key) { return one.rows.contains(key); });
}

void add(RunDigest part, RunDigest& whole) {
  whole.label = fmt::format("{} and {}", whole.label, part.label);
  if (part.uuid != whole.uuid) whole.part_uuids.push_back(part.uuid);
  whole.complete = whole.complete && part.complete;
  whole.planned += part.planned;
  whole.finished += part.finished;
  std::ranges::move(part.keys, std::back_inserter(whole.keys));
  whole.rows.merge(part.rows);
  whole.environment.merge(part.environment);
  // Tallies of different ranks cannot be added: keep those of the first part.
  const bool same_ranks =
      std::ranges::equal(whole.ranks, part.ranks, {}, &RankTally::place, &RankTally::place);
  for (std::size_t r = 0; same_ranks && r < whole.ranks.size(); ++r) {
    RankTally &sum = whole.ranks[r], &more = part.ranks[r];
    sum.cases += more.cases;
    sum.slow += more.slow;
    sum.expected += more.expected;
    std::ranges::move(more.slower, std::back_inserter(sum.slower));
  }
}

}  // namespace

std::vector<std::size_t> join_runs(std::vector<RunDigest>& runs) {
  std::vector<RunDigest> joined;
  std::vector<std::size_t> places;
  for (RunDigest& run : runs) {
    const auto whole = std::ranges::find_if(
        joined, [&run](const RunDigest& other) { return are_parts(other, run); });
    places.push_back(static_cast<std::size_t>(whole - joined.begin()));
    if (whole == joined.end()) {
      joined.push_back(std::move(run));
    } else {
      add(std::move(run), *whole);
    }
  }
  runs = std::move(joined);
  return places;
}

void refuse_repeats(std::span<const RunDigest> runs, std::map<std::string, std::string>& seen) {
  for (const RunDigest& run : runs) {
    std::vector<std::string> uuids = run.part_uuids;
    uuids.push_back(run.uuid);
    for (const std::string& uuid : uuids) {
      if (uuid.empty()) continue;
      const auto [first, fresh] = seen.emplace(uuid, run.label);
      if (!fresh) {
        throw UsageError(fmt::format("{} and {} are the same run; give each run once",
                                     first->second, run.label));
      }
    }
  }
}

}  // namespace scalemark::compare
