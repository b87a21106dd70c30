// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/congestion: what communication of some ranks costs while others load the network,
// and while they are silent.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/core/cuda_aware/transfer.hpp"
#include "common/stats/quantiles.hpp"
#include "suites/micro/collective/congestion_roles.hpp"
#include "suites/micro/collective/congestion_traffic.hpp"
#include "suites/micro/collective/slowdown.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::Operation;

/// Operations of the congestors between two looks at whether the victims are done.
constexpr int kFlood = 16;

/// Collective. The roles of all ranks, which rank 0 knows the nodes of.
CongestionRoles agreed_roles(Case& c) {
  std::string lines;
  for (int rank = 0; c.rank() == 0 && rank < c.size(); ++rank)
    lines += c.hardware().place(rank).node + "\n";
  std::istringstream all(c.ranks().broadcast(lines));
  std::vector<std::string> nodes;
  for (std::string node; std::getline(all, node);) nodes.push_back(node);
  return congestion_roles(nodes, c.number("share"), c.seed());
}

/// What this rank does, and with whom.
struct Group {
  bool is_victim = false;
  std::string pattern;
  mpi::Comm ranks;                                         ///< all victims, or all congestors
  std::unique_ptr<collective::Communicator> communicator;  ///< of the pattern, in random order
  SharedMemory memory;                                     ///< of one-sided congestors
};

/// Collective over `ranks`, one of the groups of the case.
std::unique_ptr<collective::Communicator> communicator_of(Case& c, const mpi::Comm& ranks) {
  using collective::DeviceMemory;
  if (c.text("backend") == "nccl") {
    c.communicator();  // what NCCL refuses of one group skips the case for both
    return collective::make_nccl_communicator(ranks, c.device());
  }
  return collective::make_mpi_communicator(
      ranks, c.device(),
      is_direct(c.result().params) ? DeviceMemory::direct : DeviceMemory::staged);
}

/// Only MPI has one-sided congestors here.
bool can_congest(const Point& point) {
  if (!backend_suits_memory(point)) return false;
  return point.text("backend") == "mpi" ||
         std::ranges::none_of(congestors_of(point.text("congestor")), is_one_sided);
}

/// Collective. Congestors of several kinds come in turns, so that each kind is on many nodes.
Group join_group(Case& c, const CongestionRoles& roles) {
  const auto place_in = [&](const std::vector<int>& ranks) {
    return std::ranges::find(ranks, c.rank()) - ranks.begin();
  };
  const std::vector<std::string> kinds = congestors_of(c.text("congestor"));
  if (roles.congestors.size() < 2 * kinds.size())
    c.skip(fmt::format("{} congestors of {} kinds, each kind needs two", roles.congestors.size(),
                       kinds.size()));
  Group group;
  auto place = place_in(roles.victims);
  group.is_victim = place < std::ssize(roles.victims);
  if (!group.is_victim) place = place_in(roles.congestors);
  const auto kind = static_cast<std::size_t>(place) % kinds.size();
  group.pattern = group.is_victim ? c.text("victim") : kinds[kind];
  group.ranks = c.ranks().split(group.is_victim ? 0 : 1, c.rank());
  const mpi::Comm together =
      c.ranks().split(group.is_victim ? 0 : 1 + static_cast<int>(kind), static_cast<int>(place));
  if (std::ranges::any_of(kinds, is_one_sided)) {
    const auto bytes = static_cast<std::size_t>(c.integer("congestor_bytes"));
    group.memory = {.window = &c.memory().window(bytes * roles.congestors.size()),
                    .rank = roles.congestors[kind]};
  }
  group.communicator = communicator_of(c, together);
  return group;
}

/// ns of the operations of a block, each of its slowest victim: mean and 99th percentile.
struct BlockTimes {
  std::uint64_t mean = 0, tail = 0;
};

/// The two groups of ranks, and what they do in a block of operations.
class Contest {
 public:
  Contest(Case& c, Group group)
      : c_(c),
        group_(std::move(group)),
        traffic_(
            c, *group_.communicator, group_.pattern,
            static_cast<std::size_t>(c.integer(group_.is_victim ? "bytes" : "congestor_bytes")),
            group_.memory),
        flooded_(c.communicator("mpi").prepare(kBarrier)),
        finished_(c.communicator("mpi").prepare(kBarrier)) {}

  void fill(int round) {
    if (group_.is_victim) traffic_.fill(round);
  }
  Case::Checked check(int round) {
    return group_.is_victim ? traffic_.check(round) : Case::Checked{};
  }

  /// Collective. `operations` of the victims while the congestors sleep, or load the network.
  BlockTimes run(std::uint64_t operations, bool loaded) {
    std::vector<std::int64_t> taken(operations);
    c_.ranks().barrier();
    if (group_.is_victim)
      suffer(taken, loaded);
    else if (loaded)
      flood();
    c_.ranks().sleeping_barrier();
    c_.ranks().max(taken);
    const auto total = std::accumulate(taken.begin(), taken.end(), std::int64_t{0});
    std::ranges::sort(taken);
    const std::vector<double> sorted(taken.begin(), taken.end());
    return {static_cast<std::uint64_t>(total) / operations,
            static_cast<std::uint64_t>(stats::nearest_rank(sorted, 990))};
  }
  /// ns of one operation of the slowest congestor in the last block.
  std::uint64_t congestor_ns() const { return congestor_ns_; }

 private:
  static constexpr collective::Call kBarrier{.routine = collective::Routine::barrier,
                                             .mode = collective::Mode::nonblocking};

  void suffer(std::vector<std::int64_t>& taken, bool loaded) {
    if (loaded) {
      flooded_->start();
      flooded_->wait();
    }
    for (std::int64_t& one : taken) {
      const std::uint64_t start = now_ns();
      traffic_.operation().run();
      one = static_cast<std::int64_t>(now_ns() - start);
    }
    if (loaded) {
      finished_->start();
      finished_->wait();
    }
  }

  /// Until all congestors know that the victims are done. The first operations come before these
  /// begin.
  void flood() {
    const std::uint64_t start = now_ns();
    std::uint64_t operations = 0;
    for (bool done = false; !done; done = group_.ranks.min(finished_->test() ? 1 : 0) == 1) {
      for (int i = 0; i < kFlood; ++i) traffic_.operation().run();
      c_.report_progress();
      if (operations == 0) {
        flooded_->start();
        finished_->start();
      }
      operations += kFlood;
    }
    flooded_->wait();
    congestor_ns_ = (now_ns() - start) / operations;
  }

  Case& c_;
  Group group_;
  GroupTraffic traffic_;
  std::unique_ptr<Operation> flooded_, finished_;  ///< all ranks have come that far
  std::uint64_t congestor_ns_ = 0;
};

/// One value for each block, in ns.
struct Blocks {
  std::vector<std::uint64_t> latency, loaded_latency, tail, loaded_tail, congestor;
};

/// Collective. A block with the congestors asleep, then one with them at work. ns of the second.
std::uint64_t compare_blocks(Contest& contest, std::uint64_t operations, Blocks& blocks) {
  const BlockTimes alone = contest.run(operations, false), loaded = contest.run(operations, true);
  blocks.latency.push_back(alone.mean);
  blocks.loaded_latency.push_back(loaded.mean);
  blocks.tail.push_back(alone.tail);
  blocks.loaded_tail.push_back(loaded.tail);
  blocks.congestor.push_back(contest.congestor_ns());
  return loaded.mean * operations;
}

/// Keeps the timed blocks: the last ones.
void record_blocks(Case& c, const Blocks& blocks, std::size_t timed) {
  const auto last = [&](const std::vector<std::uint64_t>& all) {
    return std::span(all).last(timed);
  };
  c.record_durations("latency", last(blocks.latency), RankReduce::max);
  c.record_durations("tail_latency", last(blocks.tail), RankReduce::max);
  c.record_durations("loaded_tail_latency", last(blocks.loaded_tail), RankReduce::max);
  c.record_durations("congestor_time", last(blocks.congestor), RankReduce::max);
  record_slowdown(c, "latency_slowdown", last(blocks.loaded_latency), last(blocks.latency),
                  "loaded_latency / latency");
  record_slowdown(c, "tail_slowdown", last(blocks.loaded_tail), last(blocks.tail),
                  "loaded_tail_latency / tail_latency");
}

void congestion(Case& c) {
  const CongestionRoles roles = agreed_roles(c);
  Contest contest(c, join_group(c, roles));
  c.fact("victims", static_cast<std::int64_t>(roles.victims.size()));
  c.fact("congestors", static_cast<std::int64_t>(roles.congestors.size()));
  c.fact("divided_by", std::string(roles.by_node ? "node" : "rank"));
  c.verify("every byte or element that a victim got against its sender's",
           {.fill = [&](int round) { contest.fill(round); },
            .check = [&](int round) { return contest.check(round); },
            .count = verify_rounds(bytes_of(c.result().params))});
  Blocks blocks;
  const std::size_t timed = c.measure_timed(
      [&](std::uint64_t operations) { return compare_blocks(contest, operations, blocks); },
      {.metric = "loaded_latency", .inner = 0, .inner_time = 20e-3, .barrier = false, .warmup = 1});
  record_blocks(c, blocks, timed);
}

SCALEMARK_BENCHMARK("micro/congestion", congestion)
    .doc("Communication of some ranks while others load the network, and while they are silent")
    .ranks(kFewestToDivide)
    .axis("backend", {.values = {"mpi", "nccl"}, .defaults = {"mpi"}, .implied = "mpi"})
    .axis("victim", {.values = victim_patterns(),
                     .defaults = {"ring", "allreduce"},
                     .doc = "What is measured: messages around a random ring, or a collective"})
    .axis("congestor", {.values = congestor_patterns(),
                        .defaults = {"alltoall", "incast"},
                        .doc = "What the other ranks do all the while"})
    .axis("memory", {.values = {"host", "device"}})
    .axis_integer("bytes", {.minimum = 4,
                            .maximum = std::int64_t{1} << 30,
                            .defaults = "8,128K",
                            .quick = "8"})
    .axis_integer("congestor_bytes", {.minimum = 4,
                                      .maximum = std::int64_t{1} << 30,
                                      .defaults = "4K",
                                      .implied = 4096,
                                      .doc = "Message size of the congestors",
                                      .unit = "By"})
    .axis_number("share", {.minimum = 0,
                           .maximum = 1,
                           .defaults = {0.8},
                           .implied = 0.8,
                           .doc = "Part of the nodes, or of the ranks of few nodes, that load the "
                                  "network",
                           .unit = "1"})
    .where(can_congest)
    .adjust_to_job(transfer_of(collective::DeviceUse::collectives))
    .memory([](const Point& p) {
      const int ranks = static_cast<int>(p.integer("ranks"));
      std::uint64_t most = traffic_bytes(p.text("victim"), bytes_of(p), ranks);
      for (const std::string& kind : congestors_of(p.text("congestor")))
        most = std::max(
            most,
            traffic_bytes(kind, static_cast<std::size_t>(p.integer("congestor_bytes")), ranks));
      return most;
    });

}  // namespace
}  // namespace scalemark::micro
