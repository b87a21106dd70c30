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
#include "suites/micro/data/known_data.hpp"
#include "suites/micro/data/message_pattern.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::DType;
using collective::Transfer;

/// Blocks of all ranks, which the rounds double: in round i each rank exchanges the 2^i blocks that
/// it has with the rank whose number differs in bit i.
class Hypercube {
 public:
  /// Collective.
  Hypercube(Case& c, collective::Communicator& comm)
      : c_(c),
        block_(static_cast<std::size_t>(c.integer("bytes"))),
        is_enqueued_(c.text("backend") == "nccl"),
        blocks_(c.alloc(static_cast<std::size_t>(c.size()) * block_)) {
    c.throw_if_peer_failed();
    for (int bit = 1; bit < c.size(); bit <<= 1) {
      const int own = c.rank() & ~(bit - 1), peer = c.rank() ^ bit;
      const std::size_t bytes = block_ * static_cast<std::size_t>(bit);
      const Transfer both[] = {
          {Transfer::Direction::receive, at(own ^ bit), bytes, peer},
          {Transfer::Direction::send, at(own), bytes, peer},
      };
      rounds_.push_back(comm.prepare(both, DType::int8, collective::Mode::blocking, &c.stream()));
    }
  }

  /// NCCL's stream carries the rounds out one after the other, so that one wait is enough.
  void run() {
    for (const auto& round : rounds_) is_enqueued_ ? round->start() : round->run();
    if (is_enqueued_) rounds_.back()->wait();
  }

  void fill(int round) {
    micro::fill(c_, at(c_.rank()), 0, data_of(round), DType::int8, block_, c_.rank());
  }

  Case::Checked check(int round) {
    const KnownData data = data_of(round);
    Case::Checked all;
    const Call allgather{.routine = collective::Routine::allgather, .count = block_};
    for (const Block& block : result_blocks(allgather, c_.rank(), c_.size()))
      all += micro::check(c_, blocks_.data(), 0, data, DType::int8, block);
    return all;
  }

 private:
  void* at(int rank) const { return blocks_.as<char>() + static_cast<std::size_t>(rank) * block_; }
  KnownData data_of(int round) const {
    return {c_.seed() + static_cast<std::uint64_t>(round), DType::int8};
  }

  Case& c_;
  std::size_t block_;
  bool is_enqueued_;
  device::Buffer blocks_;
  std::vector<std::unique_ptr<collective::Operation>> rounds_;
};

void hypercube(Case& c) {
  const auto ranks = static_cast<std::uint64_t>(c.size());
  if (ranks < 2 || !std::has_single_bit(ranks))
    c.skip(fmt::format("a hypercube has 2, 4, 8, ... ranks, not {}", ranks));
  collective::Communicator& comm = c.communicator();
  require_support(c, comm, {.routine = collective::Routine::alltoall},
                  collective::DeviceUse::messages);
  const auto cube = std::make_shared<Hypercube>(c, comm);
  const std::uint64_t total = ranks * bytes_of(c.result().params);
  c.verify("every byte against its sender's pattern",
           {.fill = [=](int round) { cube->fill(round); },
            .check = [=](int round) { return cube->check(round); },
            .count = verify_rounds(total),
            .inputs_stay = false});
  c.work({.bytes = static_cast<double>(total),
          .bus_factor = blocks_of_others(c.size()),
          .formula = "total_bytes * (n-1)/n / latency"});
  c.fact("total_bytes", static_cast<std::int64_t>(total));
  c.measure([&] { cube->run(); }, {.metric = "latency", .warmup = 10});
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
      return bytes_of(p) * static_cast<std::uint64_t>(p.integer("ranks"));
    });

}  // namespace
}  // namespace scalemark::micro
