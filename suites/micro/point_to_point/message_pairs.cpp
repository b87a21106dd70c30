// SPDX-License-Identifier: Apache-2.0
// Point-to-point benchmarks over many pairs: all at once, or every pair in rounds.
#include "suites/micro/point_to_point/message_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "suites/micro/data/rank_values.hpp"
#include "suites/micro/point_to_point/rank_pairs.hpp"

namespace scalemark::micro {
namespace {

/// Minimum time per pair and pass, in seconds.
constexpr double kSeconds = 20e-6;
constexpr std::int64_t kMaxOperations = 1000;

/// This rank's partner in each round, or -1.
std::vector<int> partners_of(int rank, int ranks) {
  std::vector<int> partners;
  for (const auto& pairs : rounds_of_pairs(ranks)) {
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
  Rounds(Case& c, Messages& messages, const PairWork& work)
      : c_(c), partners_(partners_of(c.rank(), c.size())), taken_(partners_.size()) {
    for (const int peer : partners_) {
      work_.push_back(peer < 0 ? [] {} : work(messages, peer, c.rank() < peer));
      meet_.push_back(peer < 0 ? [] {} : meeting(messages, peer, c.rank() < peer));
    }
  }

  void verify(Messages& messages, bool first_receives) {
    for (std::size_t round = 0; round < work_.size(); ++round) {
      const int number = static_cast<int>(round);
      messages.fill(number);
      c_.throw_if_peer_failed();
      {
        const Case::Communicating inside(c_);
        work_[round]();
      }
      const bool receives = first_receives || c_.rank() > partners_[round];
      c_.recorder().verified(Messages::kRule,
                             messages.check(receives ? partners_[round] : -1, number));
    }
  }

  /// Number of operations per pair that take long enough to time, equal on all ranks.
  std::int64_t operations() {
    const std::uint64_t longest = std::max<std::uint64_t>(pass(1), 1);
    const std::int64_t on_all = largest(c_.ranks(), static_cast<std::int64_t>(longest));
    const double wanted = std::ceil(kSeconds * 1e9 / static_cast<double>(on_all));
    return std::clamp(static_cast<std::int64_t>(wanted), std::int64_t{1}, kMaxOperations);
  }

  /// Runs one pass over the rounds; returns the nanoseconds of this rank's slowest pair.
  std::uint64_t pass(std::int64_t operations) {
    std::uint64_t slowest = 0;
    for (std::size_t round = 0; round < work_.size(); ++round) {
      c_.communicator().barrier();
      meet_[round]();
      const std::uint64_t start = now_ns();
      for (std::int64_t i = 0; i < operations; ++i) work_[round]();
      taken_[round].push_back(now_ns() - start);
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
  Case& c_;
  std::vector<int> partners_;
  std::vector<std::function<void()>> work_, meet_;
  std::vector<std::vector<std::uint64_t>> taken_;  ///< [round][pass]
};

/// Table `pairs`. `medians`: [rank][round], in nanoseconds for `operations`.
Table table_of(const Case& c, const std::vector<double>& medians, const PairMetric& metric,
               std::int64_t operations) {
  std::vector<std::uint64_t> first, second;
  std::vector<std::string> first_place, second_place;
  std::vector<double> seconds;
  const auto rounds = rounds_of_pairs(c.size());
  const auto place = [&](int rank) { return place_text(c.hardware().place(rank)); };
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const auto of = [&](int rank) {
      return medians.at(static_cast<std::size_t>(rank) * rounds.size() + round);
    };
    for (const auto& [a, b] : rounds[round]) {
      first.push_back(static_cast<std::uint64_t>(a));
      second.push_back(static_cast<std::uint64_t>(b));
      first_place.push_back(place(a));
      second_place.push_back(place(b));
      seconds.push_back(std::max(of(a), of(b)) * 1e-9 * metric.scale /
                        static_cast<double>(operations));
    }
  }
  return {.columns = {{"rank", "", std::move(first)},
                      {"peer", "", std::move(second)},
                      {"rank_place", "", std::move(first_place)},
                      {"peer_place", "", std::move(second_place)},
                      {metric.metric, "s", std::move(seconds)}}};
}

}  // namespace

void pair_axes(Benchmark& benchmark) {
  benchmark.two_ranks_or_more();
  benchmark.axis("pairs",
                 {.values = {"adjacent", "all"}, .defaults = {"adjacent"}, .implied = "adjacent"});
  benchmark.adjust_to_job([](Point& point, const PlanContext& job) {
    if (point.text("pairs") == "all" && point.integer("ranks") == 2)
      point["ranks"] = std::max<std::int64_t>(job.ranks, 2);
  });
}

void require_even_ranks(const Case& c) {
  if (c.size() % 2 != 0)
    c.skip(fmt::format("pairs need an even number of ranks, not {}", c.size()));
}

void measure_all_pairs(Case& c, Messages& messages, const PairMetric& metric,
                       const PairWork& work) {
  Rounds rounds(c, messages, work);
  c.throw_if_peer_failed();
  if (c.policy().verify) rounds.verify(messages, metric.first_receives);
  std::int64_t operations = 1;
  {
    const Case::Communicating inside(c);
    operations = rounds.operations();
  }
  const std::size_t timed = c.measure_timed([&] { return rounds.pass(operations); },
                                            {.metric = metric.metric,
                                             .inner = static_cast<std::uint64_t>(operations),
                                             .scale = metric.scale});
  const std::vector<double> medians = c.ranks().gather(rounds.medians(timed));
  if (c.rank() == 0) c.recorder().table("pairs", table_of(c, medians, metric, operations));
}

}  // namespace scalemark::micro
