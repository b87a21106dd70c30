// SPDX-License-Identifier: Apache-2.0
// Allreduce: how long until every rank holds the sum of all ranks' buffers (fp32).
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/message_pattern.hpp"

namespace scalemark {
namespace {

/// Each link carries the buffer 2(n-1)/n times in the best algorithm (nccl-tests,
/// doc/PERFORMANCE.md).
double bus_factor(int n) { return 2.0 * (n - 1) / n; }

void allreduce(Case& c) {
  const auto type = collective::DType::fp32;
  const std::size_t count =
      static_cast<std::size_t>(c.integer("bytes")) / collective::size_of(type);
  const std::size_t bytes = count * collective::size_of(type);
  collective::Communicator& comm = c.communicator();
  require_support(c, comm, type);
  const device::Buffer send = c.alloc(bytes), recv = c.alloc(bytes);
  fill_summand(c, send, count, c.rank());
  c.verify("every element against the exact sum",
           [&] { return check_sum(c, recv, count, c.size()); });
  c.work({.bytes = static_cast<double>(bytes),
          .bus_factor = bus_factor(c.size()),
          .flops = 0,
          .formula = "bytes * 2(n-1)/n / latency"});
  c.fact("total_bytes", static_cast<std::int64_t>(bytes));
  device::Stream& stream = c.stream();
  c.measure(
      [&] {
        comm.allreduce(send.data(), recv.data(), count, type, collective::ReduceOp::sum, stream);
        if (send.kind() == device::MemoryKind::device) stream.synchronize();
      },
      {.metric = "latency", .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/allreduce", allreduce)
    .doc("Sum of all ranks' buffers on every rank, fp32")
    .ranks(2, true)
    .axis("backend", {"mpi", "nccl"})
    .axis("memory", {"host", "device"})
    .axis_integer("bytes", 4, std::int64_t{1} << 32, "8:4M:*2", "8,1M")
    .where(backend_suits_memory)
    .memory([](const Params& p) {
      return 3 * static_cast<std::uint64_t>(std::get<std::int64_t>(p.at("bytes")));
    });

}  // namespace
}  // namespace scalemark
