// SPDX-License-Identifier: Apache-2.0
// Pairing of ranks for point-to-point benchmarks.
#include "suites/micro/point_to_point/rank_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "common/base/text.hpp"
#include "common/fleet/switches.hpp"

namespace scalemark::micro {
namespace {

std::vector<fleet::PairRound> screening_of(const fleet::Rail& rail,
                                           const std::vector<std::string>& leaves) {
  std::vector<std::string> own;
  if (!leaves.empty())
    for (const std::size_t rank : rail) own.push_back(leaves.at(rank));
  return fleet::on_rail(rail,
                        fleet::screening(rail.size(), fleet::screening_rounds(rail.size()), own));
}

}  // namespace

int partner_across(int rank, int ranks) {
  const int half = ranks / 2;
  return rank < half ? rank + half : rank - half;
}

bool is_first_half(int rank, int ranks) { return rank < ranks / 2; }

RoundsOfPairs rounds_of_ranks(const std::vector<fleet::PairRound>& rounds) {
  RoundsOfPairs of_ranks;
  for (const fleet::PairRound& round : rounds) {
    auto& pairs = of_ranks.emplace_back();
    for (const fleet::NodePair& pair : round)
      pairs.emplace_back(static_cast<int>(pair.a), static_cast<int>(pair.b));
  }
  return of_ranks;
}

RoundsOfPairs rounds_of_pairs(int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  return rounds_of_ranks(fleet::screening(count, fleet::tournament_rounds(count)));
}

RankPlaces places_of(const Case& c, const std::string& pairs) {
  RankPlaces places{.hosts = std::vector<std::string>(static_cast<std::size_t>(c.size())),
                    .leaves = {}};
  if (!is_screening(pairs)) return places;
  // Rank 0 knows the hosts.
  if (c.rank() == 0)
    for (int rank = 0; rank < c.size(); ++rank)
      places.hosts[static_cast<std::size_t>(rank)] = c.hardware().place(rank).node;
  places.hosts = text::split(c.ranks().broadcast(text::join(places.hosts, "\n")), '\n');
  if (!c.inputs().switches().empty())
    places.leaves = fleet::leaves_of(places.hosts, c.inputs().switches());
  return places;
}

bool is_screening(const std::string& pairs) { return pairs == "screening" || pairs == "rails"; }

std::vector<fleet::Rail> screened_rails(const std::string& pairs, const RankPlaces& places) {
  if (pairs == "rails") return fleet::rails(places.hosts);
  return {fleet::whole_job(places.hosts.size())};
}

RoundsOfPairs working_pairs(const std::string& pairs, const RankPlaces& places) {
  const auto ranks = static_cast<int>(places.hosts.size());
  if (pairs == "all") return rounds_of_pairs(ranks);
  if (is_screening(pairs)) {
    RoundsOfPairs rounds;
    for (const fleet::Rail& rail : screened_rails(pairs, places))
      std::ranges::move(rounds_of_ranks(screening_of(rail, places.leaves)),
                        std::back_inserter(rounds));
    return rounds;
  }
  RoundsOfPairs one(1);
  for (int rank = 0; is_first_half(rank, ranks); ++rank)
    one.front().emplace_back(rank, partner_across(rank, ranks));
  return one;
}

double busiest_round(const RoundsOfPairs& rounds, double bytes, double back, Ends ends) {
  double most = 0;
  for (const auto& pairs : rounds) {
    std::vector<Flow> flows;
    for (const auto& [first, second] : pairs) {
      flows.push_back({first, second, bytes});
      flows.push_back({second, first, back});
    }
    most = std::max(most, busiest_end(flows, ends));
  }
  return most;
}

}  // namespace scalemark::micro
