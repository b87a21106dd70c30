// SPDX-License-Identifier: Apache-2.0
// Reads table `pairs` of a screening and judges its ranks.
#include "common/analysis/screened_fleet.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/pair_table.hpp"
#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/fleet/rails.hpp"

namespace scalemark::analysis {
namespace {

/// The ranks of each rail; without column `rail` all ranks.
std::vector<fleet::Rail> rails_of(const std::vector<PairRow>& rows, std::size_t ranks) {
  std::map<std::uint64_t, std::set<std::size_t>> by_number;
  for (const PairRow& row : rows) {
    if (!row.rail) return {fleet::whole_job(ranks)};
    by_number[*row.rail].insert({row.rank, row.peer});
  }
  std::vector<fleet::Rail> rails;
  for (const auto& [number, own] : by_number) rails.emplace_back(own.begin(), own.end());
  return rails;
}

/// Judges the ranks of a rail and the links between them.
void judge_rail(const fleet::Rail& rail, std::size_t number,
                std::span<const fleet::PairTime> screened,
                std::span<const fleet::PairTime> confirmed, ScreenedFleet& found) {
  std::vector<fleet::PairTime> first = fleet::within_rail(rail, screened);
  const std::vector<fleet::PairTime> again = fleet::within_rail(rail, confirmed);
  const std::vector<fleet::JudgedNode> judged =
      fleet::judge(rail.size(), fleet::screen(rail.size(), first), first, again, found.rails);
  for (std::size_t i = 0; i < rail.size(); ++i) {
    found.ranks[rail[i]].judged = judged[i];
    found.ranks[rail[i]].rail = number;
  }
  std::ranges::copy(again, std::back_inserter(first));
  for (fleet::SlowPair slow : fleet::slow_pairs(rail.size(), first, 2)) {
    slow.nodes = {rail[slow.nodes.a], rail[slow.nodes.b]};
    found.links.push_back(slow);
  }
}

}  // namespace

std::optional<ScreenedFleet> screened_fleet(const CaseResult& result) {
  const auto* const screening = find_as<std::int64_t>(result.facts, "screening_rounds");
  const std::vector<PairRow> rows = pair_rows(result, /*screening=*/true);
  if (screening == nullptr || rows.empty()) return std::nullopt;
  std::size_t last = 0;
  for (const PairRow& row : rows) last = std::max({last, row.rank, row.peer});
  if (last >= 2 * rows.size()) return std::nullopt;  // each rank is in some pair

  ScreenedFleet found{.ranks = std::vector<ScreenedRank>(last + 1), .links = {}, .times = {}};
  found.screening_rounds = static_cast<std::size_t>(std::max<std::int64_t>(0, *screening));
  std::vector<fleet::PairTime> screened, confirmed;
  for (const PairRow& row : rows) {
    found.ranks[row.rank].host = host_in(row.rank_place);
    found.ranks[row.peer].host = host_in(row.peer_place);
    const bool is_first = row.round < found.screening_rounds;
    (is_first ? screened : confirmed).push_back({{row.rank, row.peer}, row.seconds});
    found.rounds = std::max(found.rounds, static_cast<std::size_t>(row.round) + 1);
  }
  const std::vector<fleet::Rail> rails = rails_of(rows, found.ranks.size());
  found.rails = rails.size();
  for (std::size_t number = 0; number < rails.size(); ++number)
    judge_rail(rails[number], number, screened, confirmed, found);
  std::ranges::sort(found.links, std::greater(), &fleet::SlowPair::factor);
  std::ranges::copy(confirmed, std::back_inserter(screened));
  found.times = std::move(screened);
  return found;
}

std::string fleet_text(const ScreenedFleet& fleet) {
  std::vector<std::string> bad;
  for (std::size_t rank = 0; rank < fleet.ranks.size(); ++rank) {
    const ScreenedRank& one = fleet.ranks[rank];
    if (one.judged.verdict == fleet::NodeVerdict::bad)
      bad.push_back(fmt::format("rank {} on {} takes {:.2f} times as long", rank,
                                text::printable(one.host, 60), one.judged.factor));
  }
  for (const fleet::SlowPair& link : fleet.links)
    bad.push_back(fmt::format("ranks {} and {} take {:.2f} times as long with each other",
                              link.nodes.a, link.nodes.b, link.factor));
  const std::string ranks = text::counted(fleet.ranks.size(), "rank");
  if (bad.empty()) return fmt::format("{}: none is slow", ranks);
  return fmt::format("of {}: {}", ranks, text::join(bad, ", "));
}

}  // namespace scalemark::analysis
