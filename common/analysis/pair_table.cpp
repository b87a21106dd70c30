// SPDX-License-Identifier: Apache-2.0
// Reads table `pairs`, which a file may have damaged.
#include "common/analysis/pair_table.hpp"

#include <string>

#include "common/result/table_columns.hpp"

namespace scalemark::analysis {
namespace {

/// The values of the only column in seconds.
const std::vector<double>* pair_seconds(const Table& table) {
  for (const Column& column : table.columns) {
    if (column.unit == "s") return std::get_if<std::vector<double>>(&column.values);
  }
  return nullptr;
}

}  // namespace

std::vector<PairRow> pair_rows(const CaseResult& result, bool screening) {
  const auto table = result.tables.find("pairs");
  if (result.status != Status::ok || table == result.tables.end()) return {};
  const auto* rank = values_of<std::uint64_t>(table->second, "rank");
  const auto* peer = values_of<std::uint64_t>(table->second, "peer");
  const auto* rank_place = values_of<std::string>(table->second, "rank_place");
  const auto* peer_place = values_of<std::string>(table->second, "peer_place");
  const auto* seconds = pair_seconds(table->second);
  const auto* round = values_of<std::uint64_t>(table->second, "round");
  const auto* rail = values_of<std::uint64_t>(table->second, "rail");
  if (!rank || !peer || !rank_place || !peer_place || !seconds || screening != (round != nullptr))
    return {};
  const std::size_t count = rank->size();
  if (peer->size() != count || rank_place->size() != count || peer_place->size() != count ||
      seconds->size() != count || (round && round->size() != count) ||
      (rail && rail->size() != count))
    return {};
  std::vector<PairRow> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({(*rank)[i], (*peer)[i], (*rank_place)[i], (*peer_place)[i], (*seconds)[i],
                   round ? (*round)[i] : 0, rail ? std::optional((*rail)[i]) : std::nullopt});
  return all;
}

std::string_view host_in(std::string_view place) { return place.substr(0, place.find(' ')); }

}  // namespace scalemark::analysis
