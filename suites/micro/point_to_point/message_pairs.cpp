// SPDX-License-Identifier: Apache-2.0
// Point-to-point benchmarks over many pairs: all at once, every pair in rounds, or a screening.
#include "suites/micro/point_to_point/message_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/text.hpp"
#include "common/fleet/second_look.hpp"
#include "suites/micro/data/rank_values.hpp"
#include "suites/micro/point_to_point/rank_pairs.hpp"

namespace scalemark::micro {
namespace {

/// Minimum time per pair and pass, in seconds.
constexpr double kSeconds = 20e-6;
constexpr std::int64_t kMaxOperations = 1000;
/// A first exchange that takes so long needs no second one to know that one operation can be timed:
/// making a connection takes less.
constexpr double kLongSeconds = 0.1;

/// This rank's partner in each round, or -1.
std::vector<int> partners_of(int rank, const RoundsOfPairs& rounds) {
  std::vector<int> partners;
  for (const auto& pairs : rounds) {
    partners.push_back(-1);
    for (const auto& [a, b] : pairs) {
      if (a == rank) partners.back() = b;
      if (b == rank) partners.back() = a;
    }
  }
  return partners;
}

/// Sends a byte there and back. Partners leave the barrier over all ranks at different moments.
/// Without this, a fast pair's time would include waiting caused by slow messages of a third rank.
std::function<void()> meeting(Messages& messages, int peer, bool first) {
  return [send = std::shared_ptr(messages.send_reply(peer)),
          receive = std::shared_ptr(messages.receive_reply(peer)), first] {
    if (first) send->run();
    receive->run();
    if (!first) send->run();
  };
}

/// All rounds of one rank: its partners and their operations.
class Rounds {
 public:
  Rounds(Case& c, Messages& messages, const PairWork& work, const RoundsOfPairs& rounds)
      : c_(c), partners_(partners_of(c.rank(), rounds)), taken_(partners_.size()) {
    for (const int peer : partners_) {
      work_.push_back(peer < 0 ? [] {} : work(messages, peer, c.rank() < peer));
      meet_.push_back(peer < 0 ? [] {} : meeting(messages, peer, c.rank() < peer));
    }
  }

  /// Checks the messages of all rounds; returns the nanoseconds of this rank's slowest pair.
  std::uint64_t verify(Messages& messages, bool first_receives) {
    std::uint64_t slowest = 0;
    for (std::size_t round = 0; round < work_.size(); ++round) {
      const int number = static_cast<int>(round);
      messages.fill(number);
      c_.throw_if_peer_failed();
      {
        const Case::Communicating inside(c_);
        slowest = std::max(slowest, exchange(round, 1));
      }
      const bool receives = first_receives || c_.rank() > partners_[round];
      c_.recorder().verified(Messages::kRule,
                             messages.check(receives ? partners_[round] : -1, number));
    }
    return slowest;
  }

  /// Number of operations per pair that take long enough to time, equal on all ranks. `known`: what
  /// verify() returned; 0: it did not run.
  std::int64_t operations(std::uint64_t known) {
    const auto on_all = [&](std::uint64_t ns) {
      return largest(c_.ranks(), static_cast<std::int64_t>(std::max<std::uint64_t>(ns, 1)));
    };
    if (static_cast<double>(on_all(known)) > kLongSeconds * 1e9) return 1;
    const double wanted = std::ceil(kSeconds * 1e9 / static_cast<double>(on_all(pass(1))));
    return std::clamp(static_cast<std::int64_t>(wanted), std::int64_t{1}, kMaxOperations);
  }

  /// Runs one pass over the rounds; returns the nanoseconds of this rank's slowest pair.
  std::uint64_t pass(std::int64_t operations) {
    std::uint64_t slowest = 0;
    for (std::size_t round = 0; round < work_.size(); ++round) {
      c_.communicator().barrier();
      taken_[round].push_back(exchange(round, operations));
      if (partners_[round] >= 0) slowest = std::max(slowest, taken_[round].back());
    }
    return slowest;
  }

  /// This rank's median nanoseconds per round, over the last `passes`.
  std::vector<double> medians(std::size_t passes) const {
    std::vector<double> result;
    for (const std::vector<std::uint64_t>& all : taken_)
      result.push_back(median_ns({all.end() - static_cast<std::ptrdiff_t>(passes), all.end()}));
    return result;
  }

 private:
  /// Nanoseconds of this rank's pair of a round.
  std::uint64_t exchange(std::size_t round, std::int64_t operations) {
    meet_[round]();
    const std::uint64_t start = now_ns();
    for (std::int64_t i = 0; i < operations; ++i) work_[round]();
    return now_ns() - start;
  }

  Case& c_;
  std::vector<int> partners_;
  std::vector<std::function<void()>> work_, meet_;
  std::vector<std::vector<std::uint64_t>> taken_;  ///< [round][pass]
};

/// Table `pairs`, on rank 0.
class PairTable {
 public:
  PairTable(const Case& c, const PairMetric& metric, std::int64_t operations)
      : c_(c), metric_(metric), scale_(1e-9 * metric.scale / static_cast<double>(operations)) {}

  /// `medians`: [rank][round], in nanoseconds for all operations.
  void add(const RoundsOfPairs& rounds, const std::vector<double>& medians) {
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      const auto of = [&](int rank) {
        return medians.at(static_cast<std::size_t>(rank) * rounds.size() + round);
      };
      for (const auto& [a, b] : rounds[round]) {
        first_.push_back(static_cast<std::uint64_t>(a));
        second_.push_back(static_cast<std::uint64_t>(b));
        seconds_.push_back(std::max(of(a), of(b)) * scale_);
        round_.push_back(next_round_ + round);
      }
    }
    next_round_ += rounds.size();
  }

  std::vector<fleet::PairTime> times() const {
    std::vector<fleet::PairTime> all;
    for (std::size_t i = 0; i < first_.size(); ++i)
      all.push_back({{first_[i], second_[i]}, seconds_[i]});
    return all;
  }

  /// Column `round` is for screenings, and column `rail` if there are several.
  Table table(bool with_rounds, std::span<const fleet::Rail> rails) const {
    std::vector<std::string> first_place, second_place;
    for (const std::uint64_t rank : first_) first_place.push_back(place(rank));
    for (const std::uint64_t rank : second_) second_place.push_back(place(rank));
    Table table{.columns = {{"rank", "", first_},
                            {"peer", "", second_},
                            {"rank_place", "", std::move(first_place)},
                            {"peer_place", "", std::move(second_place)},
                            {metric_.metric, "s", seconds_}}};
    if (with_rounds) table.columns.push_back({"round", "", round_});
    if (rails.size() > 1) table.columns.push_back({"rail", "", rail_numbers(rails)});
    return table;
  }

 private:
  std::string place(std::uint64_t rank) const {
    return place_text(c_.hardware().place(static_cast<int>(rank)));
  }

  /// Both ranks of a pair are on the same rail.
  std::vector<std::uint64_t> rail_numbers(std::span<const fleet::Rail> rails) const {
    std::vector<std::uint64_t> of_rank(static_cast<std::size_t>(c_.size())), numbers;
    for (std::size_t rail = 0; rail < rails.size(); ++rail)
      for (const std::size_t rank : rails[rail]) of_rank.at(rank) = rail;
    for (const std::uint64_t rank : first_) numbers.push_back(of_rank.at(rank));
    return numbers;
  }

  const Case& c_;
  const PairMetric& metric_;
  double scale_;
  std::size_t next_round_ = 0;
  std::vector<std::uint64_t> first_, second_, round_;
  std::vector<double> seconds_;
};

/// The rounds in which each rail is looked at again.
std::vector<fleet::PairRound> rounds_again(std::span<const fleet::Rail> rails,
                                           std::span<const fleet::PairTime> times) {
  std::vector<fleet::PairRound> all;
  for (const fleet::Rail& rail : rails)
    std::ranges::move(
        fleet::on_rail(rail, fleet::to_confirm(rail.size(), fleet::within_rail(rail, times))),
        std::back_inserter(all));
  return all;
}

/// Collective. The rounds of rank 0 on all ranks.
RoundsOfPairs broadcast(const Case& c, const std::vector<fleet::PairRound>& rounds) {
  std::string text;  // "0,5,1,4;2,3;"
  for (const fleet::PairRound& round : rounds) {
    for (const fleet::NodePair& pair : round) text += fmt::format("{},{},", pair.a, pair.b);
    text.back() = ';';
  }
  RoundsOfPairs all;
  for (const std::string& round : text::split(c.ranks().broadcast(text), ';')) {
    if (round.empty()) continue;
    const std::vector<std::int64_t> ranks = text::parse_integers(round);
    auto& pairs = all.emplace_back();
    for (std::size_t i = 0; i + 1 < ranks.size(); i += 2)
      pairs.emplace_back(static_cast<int>(ranks[i]), static_cast<int>(ranks[i + 1]));
  }
  return all;
}

}  // namespace

void pair_axes(Benchmark& benchmark) {
  benchmark.two_ranks_or_more();
  benchmark.axis("pairs", {.values = {"adjacent", "all", "screening", "rails"},
                           .defaults = {"adjacent"},
                           .implied = "adjacent"});
  benchmark.adjust_to_job([](Point& point, const PlanContext& job) {
    if (point.text("pairs") != "adjacent" && point.integer("ranks") == 2)
      point["ranks"] = std::max<std::int64_t>(job.ranks, 2);
  });
}

void require_even_ranks(const Case& c) {
  if (c.size() % 2 != 0)
    c.skip(fmt::format("pairs need an even number of ranks, not {}", c.size()));
}

bool is_in_rounds(const Case& c) { return c.text("pairs") != "adjacent"; }

void measure_pairs_in_rounds(Case& c, Messages& messages, const PairMetric& metric,
                             const PairWork& work) {
  const std::string pairs = c.text("pairs");
  const RankPlaces places = places_of(c, pairs);
  const RoundsOfPairs rounds = working_pairs(pairs, places);
  if (rounds.empty()) c.skip("pairs=rails needs ranks on two hosts");
  const std::vector<fleet::Rail> rails = screened_rails(pairs, places);
  Rounds measured(c, messages, work, rounds);
  c.throw_if_peer_failed();
  const std::uint64_t known =
      c.policy().verify ? measured.verify(messages, metric.first_receives) : 0;
  std::int64_t operations = 1;
  {
    const Case::Communicating inside(c);
    operations = measured.operations(known);
  }
  const std::size_t passes = c.measure_timed([&] { return measured.pass(operations); },
                                             {.metric = metric.metric,
                                              .inner = static_cast<std::uint64_t>(operations),
                                              .scale = metric.scale});
  PairTable table(c, metric, operations);
  const auto gather = [&](const Rounds& of, const RoundsOfPairs& its_rounds) {
    const std::vector<double> medians = c.ranks().gather(of.medians(passes));
    if (c.rank() == 0) table.add(its_rounds, medians);
  };
  gather(measured, rounds);
  if (is_screening(pairs)) {
    c.fact("screening_rounds", static_cast<std::int64_t>(rounds.size()));
    const RoundsOfPairs again = broadcast(
        c, c.rank() == 0 ? rounds_again(rails, table.times()) : std::vector<fleet::PairRound>());
    Rounds confirmed(c, messages, work, again);
    c.throw_if_peer_failed();
    c.phase("confirm");
    {
      const Case::Communicating inside(c);
      for (std::size_t i = 0; i < passes && !again.empty(); ++i) {
        confirmed.pass(operations);
        c.report_progress();
      }
    }
    if (!again.empty()) gather(confirmed, again);
  }
  if (c.rank() == 0) c.recorder().table("pairs", table.table(is_screening(pairs), rails));
}

}  // namespace scalemark::micro
