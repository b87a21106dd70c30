// SPDX-License-Identifier: Apache-2.0
// Latency of one message between two ranks: half the round trip, timed on rank 0.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/message_pattern.hpp"

namespace scalemark {
namespace {

void pingpong(Case& c) {
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  collective::Communicator& comm = c.communicator();
  require_support(c, comm, collective::DType::int8);
  const device::Buffer send = c.alloc(bytes), recv = c.alloc(bytes);
  fill_message(c, send, bytes, c.rank());
  c.verify("every byte of the received message against the sender's pattern",
           [&] { return check_message(c, recv, bytes, 1 - c.rank()); });
  c.work({.bytes = static_cast<double>(bytes),
          .bus_factor = 0,
          .flops = 0,
          .formula = "bytes / latency"});
  const auto type = collective::DType::int8;
  device::Stream& stream = c.stream();
  const bool first = c.rank() == 0;
  c.measure(
      [&] {
        if (first) comm.send(send.data(), bytes, type, 1, stream);
        comm.recv(recv.data(), bytes, type, first ? 1 : 0, stream);
        if (!first) comm.send(send.data(), bytes, type, 0, stream);
      },
      {.metric = "latency",
       .rank_reduce = RankReduce::root,
       .inner = 0,
       .scale = 0.5,
       .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/pingpong", pingpong)
    .doc("Latency of a message between ranks 0 and 1: half the round trip")
    .two_ranks()
    .axis("backend", {"mpi", "nccl"})
    .axis("memory", {"host", "device"})
    .axis_integer("bytes", 1, std::int64_t{1} << 31, "8:4M:*2", "8,64K")
    .where(backend_suits_memory)
    .memory([](const Params& p) {
      return 2 * static_cast<std::uint64_t>(std::get<std::int64_t>(p.at("bytes")));
    });

}  // namespace
}  // namespace scalemark
