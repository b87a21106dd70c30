// SPDX-License-Identifier: Apache-2.0
// Reads table `pairs` of a screening and judges its ranks.
#include "common/analysis/screened_fleet.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/pair_table.hpp"
#include "common/base/counted.hpp"
#include "common/base/text.hpp"

namespace scalemark::analysis {
std::optional<ScreenedFleet> screened_fleet(const CaseResult& result) {
  const auto fact = result.facts.find("screening_rounds");
  const auto* const screening =
      fact == result.facts.end() ? nullptr : std::get_if<std::int64_t>(&fact->second);
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
  const std::size_t ranks = found.ranks.size();
  const std::vector<fleet::JudgedNode> judged =
      fleet::judge(ranks, fleet::screen(ranks, screened), screened, confirmed);
  for (std::size_t rank = 0; rank < ranks; ++rank) found.ranks[rank].judged = judged[rank];
  std::ranges::copy(confirmed, std::back_inserter(screened));
  found.links = fleet::slow_pairs(ranks, screened, 2);
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
  return fmt::format("of {} {}", ranks, text::join(bad, ", "));
}

}  // namespace scalemark::analysis
