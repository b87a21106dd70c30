// SPDX-License-Identifier: Apache-2.0
// Reads table `pairs` of a screening and judges its ranks.
#include "common/analysis/screened_fleet.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/result/table_columns.hpp"

namespace scalemark::analysis {
namespace {

struct PairColumns {
  const std::vector<std::uint64_t>*rank, *peer, *round;
  const std::vector<std::string>*rank_place, *peer_place;
  const std::vector<double>* seconds;

  bool are_complete() const {
    if (!rank || !peer || !round || !rank_place || !peer_place || !seconds) return false;
    const std::size_t count = rank->size();
    return count > 0 && peer->size() == count && round->size() == count &&
           rank_place->size() == count && peer_place->size() == count && seconds->size() == count;
  }
};

PairColumns columns_of(const Table& table) {
  const auto in_seconds = std::ranges::find(table.columns, "s", &Column::unit);
  return {.rank = values_of<std::uint64_t>(table, "rank"),
          .peer = values_of<std::uint64_t>(table, "peer"),
          .round = values_of<std::uint64_t>(table, "round"),
          .rank_place = values_of<std::string>(table, "rank_place"),
          .peer_place = values_of<std::string>(table, "peer_place"),
          .seconds = in_seconds == table.columns.end()
                         ? nullptr
                         : std::get_if<std::vector<double>>(&in_seconds->values)};
}

std::string host_in(const std::string& place) { return place.substr(0, place.find(' ')); }

}  // namespace

std::optional<ScreenedFleet> screened_fleet(const CaseResult& result) {
  const auto table = result.tables.find("pairs");
  const auto fact = result.facts.find("screening_rounds");
  if (result.status != Status::ok || table == result.tables.end() || fact == result.facts.end())
    return std::nullopt;
  const auto* const screening = std::get_if<std::int64_t>(&fact->second);
  const PairColumns columns = columns_of(table->second);
  if (screening == nullptr || !columns.are_complete()) return std::nullopt;
  const std::uint64_t last =
      std::max(*std::ranges::max_element(*columns.rank), *std::ranges::max_element(*columns.peer));
  if (last >= 2 * columns.rank->size()) return std::nullopt;  // each rank is in some pair

  ScreenedFleet found{.ranks = std::vector<ScreenedRank>(last + 1), .links = {}, .times = {}};
  found.screening_rounds = static_cast<std::size_t>(std::max<std::int64_t>(0, *screening));
  std::vector<fleet::PairTime> screened, confirmed;
  for (std::size_t i = 0; i < columns.rank->size(); ++i) {
    const std::size_t rank = (*columns.rank)[i], peer = (*columns.peer)[i];
    found.ranks[rank].host = host_in((*columns.rank_place)[i]);
    found.ranks[peer].host = host_in((*columns.peer_place)[i]);
    const bool is_first = (*columns.round)[i] < found.screening_rounds;
    (is_first ? screened : confirmed).push_back({{rank, peer}, (*columns.seconds)[i]});
    found.rounds = std::max(found.rounds, static_cast<std::size_t>((*columns.round)[i]) + 1);
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
