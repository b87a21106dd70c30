// SPDX-License-Identifier: Apache-2.0
// Put by two ranks at once: each writes a window of messages to the other.
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

void put_bidirectional_bandwidth(Case& c) {
  measure_one_sided_bandwidth(c, collective::Access::Kind::put, /*both_ways=*/true);
}

SCALEMARK_BENCHMARK("micro/put_bidirectional_bandwidth", put_bidirectional_bandwidth)
    .doc("Bandwidth of one-sided writes of two ranks to each other, in both directions together")
    .with(one_sided_bidirectional_axes)
    .with(one_sided_memory_axis);

}  // namespace
}  // namespace scalemark::micro
