// SPDX-License-Identifier: Apache-2.0
// Allgather: how long until every rank holds the blocks of all ranks. `bytes` is what each rank
// sends.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/message_pattern.hpp"

namespace scalemark {
namespace {

/// Of the n blocks that a rank ends up with, n - 1 came over its link (nccl-tests,
/// doc/PERFORMANCE.md).
double bus_factor(int n) { return static_cast<double>(n - 1) / n; }

void allgather(Case& c) {
  const auto type = collective::DType::int8;
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  const std::size_t total = bytes * static_cast<std::size_t>(c.size());
  collective::Communicator& comm = c.communicator();
  require_support(c, comm, type);
  const device::Buffer send = c.alloc(bytes), recv = c.alloc(total);
  fill_message(c, send, bytes, c.rank());
  c.verify("every byte of every block against its sender's pattern", [&] {
    Case::Checked all;
    for (int sender = 0; sender < c.size(); ++sender) {
      const Case::Checked one =
          check_message(c, recv, bytes, sender, static_cast<std::size_t>(sender) * bytes);
      all.checked += one.checked;
      all.wrong += one.wrong;
    }
    return all;
  });
  c.work({.bytes = static_cast<double>(total),
          .bus_factor = bus_factor(c.size()),
          .flops = 0,
          .formula = "n * bytes * (n-1)/n / latency"});
  c.fact("total_bytes", static_cast<std::int64_t>(total));
  device::Stream& stream = c.stream();
  c.measure(
      [&] {
        comm.allgather(send.data(), recv.data(), bytes, type, stream);
        if (send.kind() == device::MemoryKind::device) stream.synchronize();
      },
      {.metric = "latency", .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/allgather", allgather)
    .doc("Blocks of all ranks on every rank; bytes is what each rank sends")
    .ranks(1, true)
    .axis("backend", {"mpi", "nccl"})
    .axis("memory", {"host", "device"})
    .axis_integer("bytes", 1, std::int64_t{1} << 30, "8:1M:*2", "8,64K")
    .where(backend_suits_memory)
    .memory([](const Params& p) {
      const auto bytes = static_cast<std::uint64_t>(std::get<std::int64_t>(p.at("bytes")));
      return bytes * static_cast<std::uint64_t>(2 + std::get<std::int64_t>(p.at("ranks")));
    });

}  // namespace
}  // namespace scalemark
