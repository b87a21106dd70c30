// SPDX-License-Identifier: Apache-2.0
// Get: rank 0 reads a window of messages of rank 1, and completes them together.
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

void get_bandwidth(Case& c) {
  measure_one_sided_bandwidth(c, collective::Access::Kind::get, /*both_ways=*/false);
}

SCALEMARK_BENCHMARK("micro/get_bandwidth", get_bandwidth)
    .doc("Bandwidth of one-sided reads of rank 0 from rank 1 that are completed together")
    .with(one_sided_bandwidth_axes)
    .with(one_sided_memory_axis);

}  // namespace
}  // namespace scalemark::micro
