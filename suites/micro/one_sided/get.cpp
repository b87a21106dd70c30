// SPDX-License-Identifier: Apache-2.0
// Get: time until data from the window of rank 1 have arrived on rank 0.
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

void get(Case& c) { measure_one_sided(c, collective::Access::Kind::get); }

SCALEMARK_BENCHMARK("micro/get", get)
    .doc("Latency of a one-sided read by rank 0 from rank 1 and its completion")
    .with(one_sided_axes)
    .with(target_axis)
    .with(one_sided_memory_axis);

}  // namespace
}  // namespace scalemark::micro
