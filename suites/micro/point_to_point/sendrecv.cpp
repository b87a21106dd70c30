// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/sendrecv: a ring. Every rank sends to the next and receives from the previous one
// in one call.
#include <vector>

#include "suites/micro/point_to_point/point_to_point.hpp"

namespace scalemark::micro {
namespace {

void sendrecv(Case& c) {
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  const int rank = c.rank(), size = c.size();
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  Messages messages(c, bytes, 1, 1);
  messages.verify_from(before);
  std::vector<Flow> flows;
  for (int from = 0; from < size; ++from)
    flows.push_back({from, (from + 1) % size, static_cast<double>(bytes)});
  c.work({.bytes = static_cast<double>(bytes),
          .bus_factor = 1,
          .formula = "bytes / latency",
          .carrier = Carrier::between_ranks,
          .link_bytes = [flows](Ends ends) { return busiest_end(flows, ends); }});
  c.fact("total_bytes", c.integer("bytes"));
  const auto ring = messages.both(next, before);
  c.measure([&] { ring->run(); }, {.metric = "latency", .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/sendrecv", sendrecv)
    .doc("A ring: a message to the next rank and one from the rank before")
    .ranks(1, 2)
    .with(message_axes("8:4M:*2", "blocking"));

}  // namespace
}  // namespace scalemark::micro
