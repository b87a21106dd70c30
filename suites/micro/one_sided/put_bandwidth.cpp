// SPDX-License-Identifier: Apache-2.0
// Put: rank 0 writes a window of messages to rank 1, and completes them together.
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

void put_bandwidth(Case& c) {
  measure_one_sided_bandwidth(c, collective::Access::Kind::put, /*both_ways=*/false);
}

SCALEMARK_BENCHMARK("micro/put_bandwidth", put_bandwidth)
    .doc("Bandwidth of one-sided writes from rank 0 to rank 1 that are completed together")
    .with(one_sided_bandwidth_axes)
    .with(one_sided_memory_axis);

}  // namespace
}  // namespace scalemark::micro
