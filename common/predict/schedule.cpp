// SPDX-License-Identifier: Apache-2.0
// Algorithms of collectives as rounds of messages.
#include "common/predict/schedule.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::predict {
namespace {

int floor_log2(int value) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(value))) - 1;
}
int ceil_log2(int value) { return value <= 1 ? 0 : floor_log2(value - 1) + 1; }

/// Bytes divided into parts that differ by one at most.
class Parts {
 public:
  Parts(std::uint64_t bytes, int count)
      : each_(bytes / static_cast<std::uint64_t>(count)),
        larger_(bytes % static_cast<std::uint64_t>(count)) {}
  /// Of parts `first` to `last` - 1.
  std::uint64_t bytes(int first, int last) const { return before(last) - before(first); }

 private:
  std::uint64_t before(int part) const {
    const auto index = static_cast<std::uint64_t>(part);
    return index * each_ + std::min(index, larger_);
  }
  std::uint64_t each_, larger_;
};

Schedule ring(int ranks, int rounds,
              const std::function<std::uint64_t(int round, int rank)>& sent) {
  return {.ranks = ranks, .rounds = rounds, .exchange = [=](int round, int rank) {
            return Exchange{.to = (rank + 1) % ranks,
                            .from = (rank + ranks - 1) % ranks,
                            .sent = sent(round, rank)};
          }};
}

/// In each round a rank passes on the part that it has just completed or received.
Schedule ring_of_parts(int ranks, int rounds, std::uint64_t bytes) {
  const Parts parts(bytes, ranks);
  return ring(ranks, rounds, [=](int round, int rank) {
    const int part = ((rank - round) % ranks + ranks) % ranks;
    return parts.bytes(part, part + 1);
  });
}

Schedule broadcast_binomial(int ranks, std::uint64_t bytes) {
  const int depth = ceil_log2(ranks);
  return {.ranks = ranks, .rounds = depth, .exchange = [=](int round, int rank) {
            const int distance = 1 << (depth - 1 - round), span = 2 * distance;
            if (rank % span == 0 && rank + distance < ranks)
              return Exchange{.to = rank + distance, .sent = bytes};
            if (rank % span == distance) return Exchange{.from = rank - distance};
            return Exchange{};
          }};
}

Schedule barrier_dissemination(int ranks) {
  return {.ranks = ranks, .rounds = ceil_log2(ranks), .exchange = [=](int round, int rank) {
            const int distance = 1 << round;
            return Exchange{.to = (rank + distance) % ranks,
                            .from = (rank + ranks - distance) % ranks};
          }};
}

Schedule alltoall_pairwise(int ranks, std::uint64_t bytes) {
  return {.ranks = ranks, .rounds = ranks - 1, .exchange = [=](int round, int rank) {
            const int distance = round + 1;
            return Exchange{.to = (rank + distance) % ranks,
                            .from = (rank + ranks - distance) % ranks,
                            .sent = bytes};
          }};
}

/// Rounds of a power of two of ranks, with `exchange(round, place)` in places 0, 1, ...; the
/// surplus ranks are folded in before and get the result behind.
Schedule folded(int ranks, std::uint64_t bytes, int rounds,
                const std::function<Exchange(int round, int place)>& exchange) {
  const int places = 1 << floor_log2(ranks), surplus = ranks - places;
  const auto rank_of = [=](int place) { return place < surplus ? 2 * place + 1 : place + surplus; };
  const int before = surplus > 0 ? 1 : 0;
  return {.ranks = ranks, .rounds = rounds + 2 * before, .exchange = [=](int round, int rank) {
            const bool paired = rank < 2 * surplus, folds = paired && rank % 2 == 0;
            if (before == 1 && (round == 0 || round == rounds + 1)) {
              const bool gives = (round == 0) == folds;
              const int peer = folds ? rank + 1 : rank - 1;
              if (!paired) return Exchange{};
              return gives ? Exchange{.to = peer, .sent = bytes} : Exchange{.from = peer};
            }
            if (folds) return Exchange{};
            Exchange one = exchange(round - before, paired ? rank / 2 : rank - surplus);
            one.to = rank_of(one.to);
            one.from = rank_of(one.from);
            return one;
          }};
}

Schedule recursive_doubling(int ranks, std::uint64_t bytes) {
  return folded(ranks, bytes, floor_log2(ranks), [=](int round, int place) {
    const int peer = place ^ (1 << round);
    return Exchange{.to = peer, .from = peer, .sent = bytes};
  });
}

Schedule rabenseifner(int ranks, std::uint64_t bytes) {
  const int steps = floor_log2(ranks);
  const Parts parts(bytes, 1 << steps);
  return folded(ranks, bytes, 2 * steps, [=](int round, int place) {
    const bool halving = round < steps;
    const int distance = 1 << (halving ? steps - 1 - round : round - steps);
    const int peer = place ^ distance;
    // Halving gives away the peer's half of the parts held, doubling the own ones.
    const int first = (halving ? peer : place) / distance * distance;
    return Exchange{.to = peer, .from = peer, .sent = parts.bytes(first, first + distance)};
  });
}

using Make = Schedule (*)(int ranks, std::uint64_t bytes);

const std::array<std::pair<const char*, Make>, 8>& known() {
  static const std::array<std::pair<const char*, Make>, 8> all{{
      {"allgather_ring",
       [](int p, std::uint64_t s) { return ring(p, p - 1, [s](int, int) { return s; }); }},
      {"allreduce_rabenseifner", rabenseifner},
      {"allreduce_recursive_doubling", recursive_doubling},
      {"allreduce_ring", [](int p, std::uint64_t s) { return ring_of_parts(p, 2 * (p - 1), s); }},
      {"alltoall_pairwise", alltoall_pairwise},
      {"barrier_dissemination", [](int p, std::uint64_t) { return barrier_dissemination(p); }},
      {"broadcast_binomial", broadcast_binomial},
      {"reduce_scatter_ring", [](int p, std::uint64_t s) { return ring_of_parts(p, p - 1, s); }},
  }};
  return all;
}

}  // namespace

std::uint64_t messages_of(const Schedule& schedule) {
  std::uint64_t messages = 0;
  for (int round = 0; round < schedule.rounds; ++round) {
    for (int rank = 0; rank < schedule.ranks; ++rank)
      messages += schedule.exchange(round, rank).to >= 0 ? 1 : 0;
  }
  return messages;
}

const std::vector<std::string>& algorithms() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, make] : known()) all.emplace_back(name);
    return all;
  }();
  return names;
}

Schedule make_schedule(const std::string& algorithm, int ranks, std::uint64_t bytes) {
  if (ranks < 1 || ranks > kMaxRanks)
    throw UsageError(fmt::format("--ranks is {}, allowed: 1 to {}", ranks, kMaxRanks));
  const auto* const found =
      std::ranges::find(known(), algorithm, [](const auto& one) { return one.first; });
  if (found == known().end())
    throw UsageError(fmt::format("--simulate: there is no '{}'; allowed: {}",
                                 text::printable(algorithm, 80), fmt::join(algorithms(), ", ")));
  return found->second(ranks, bytes);
}

}  // namespace scalemark::predict
