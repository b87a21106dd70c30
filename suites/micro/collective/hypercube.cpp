// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/hypercube: an allgather made of messages between ranks whose numbers differ in
// one bit (nccl-tests, hypercube_perf).
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/collective/collective_case.hpp"
#include "suites/micro/collective/collective_point.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::Transfer;

/// The allgather that the messages make up, in place.
Call allgather_of(const Point& point, int ranks) {
  return call_of(point, collective::Routine::allgather, ranks);
}

/// In round i each rank exchanges the 2^i blocks that it has with the rank whose number differs in
/// bit i.
class HypercubeRounds {
 public:
  /// Collective. Of the blocks of an allgather with its buffers.
  HypercubeRounds(Case& c, collective::Communicator& comm, const Call& allgather)
      : is_enqueued_(comm.backend() == "nccl") {
    const auto at = [&](int rank) {
      return static_cast<char*>(allgather.out) + static_cast<std::size_t>(rank) * allgather.count;
    };
    for (int bit = 1; bit < c.size(); bit <<= 1) {
      const int own = c.rank() & ~(bit - 1), peer = c.rank() ^ bit;
      const std::size_t bytes = allgather.count * static_cast<std::size_t>(bit);
      const Transfer both[] = {
          {Transfer::Direction::receive, at(own ^ bit), bytes, peer},
          {Transfer::Direction::send, at(own), bytes, peer},
      };
      rounds_.push_back(comm.prepare(both, allgather.type, allgather.mode, allgather.stream));
    }
  }

  /// NCCL's stream carries the rounds out one after the other, so that one wait is enough.
  void run() {
    for (const auto& round : rounds_) is_enqueued_ ? round->start() : round->run();
    if (is_enqueued_) rounds_.back()->wait();
  }

 private:
  bool is_enqueued_;
  std::vector<std::unique_ptr<collective::Operation>> rounds_;
};

void hypercube(Case& c) {
  const auto ranks = static_cast<std::uint64_t>(c.size());
  if (ranks < 2 || !std::has_single_bit(ranks))
    c.skip(fmt::format("a hypercube has 2, 4, 8, ... ranks, not {}", ranks));
  collective::Communicator& comm = c.communicator();
  require_support(c, comm, {.routine = collective::Routine::alltoall},
                  collective::DeviceUse::messages);
  CollectiveData data(c, comm, allgather_of(c.result().params, c.size()), {.in_place = true});
  c.throw_if_peer_failed();
  HypercubeRounds rounds(c, comm, data.call());
  const std::uint64_t total = total_bytes(data.call(), c.size());
  c.verify("every byte against its sender's pattern",
           {.fill = [&](int round) { data.fill(round); },
            .check = [&](int round) { return data.check(round); },
            .count = verify_rounds(total),
            .inputs_stay = false});
  c.work({.bytes = static_cast<double>(total),
          .bus_factor = blocks_of_others(c.size()),
          .formula = "total_bytes * (n-1)/n / latency"});
  c.fact("total_bytes", static_cast<std::int64_t>(total));
  c.measure([&] { rounds.run(); }, {.metric = "latency", .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/hypercube", hypercube)
    .doc("An allgather of messages between ranks whose numbers differ in one bit")
    .ranks(2)
    .axis("backend", {.values = {"mpi", "nccl", "gloo", "c10d"}, .defaults = {"mpi", "nccl"}})
    .axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"})
    .axis("memory", {.values = {"host", "device"}})
    .axis_integer("bytes", {.minimum = 1,
                            .maximum = std::int64_t{1} << 33,
                            .defaults = "8:1M:*2",
                            .quick = "8,64K"})
    .where(backend_suits_memory)
    .adjust_to_job(transfer_of(collective::DeviceUse::messages))
    .memory([](const Point& p) {
      const int ranks = static_cast<int>(p.integer("ranks"));
      return buffer_bytes(allgather_of(p, ranks), true, ranks);
    });

}  // namespace
}  // namespace scalemark::micro
