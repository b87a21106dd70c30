// SPDX-License-Identifier: Apache-2.0
// Put: time until data of rank 0 are complete in the window of rank 1.
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

void put(Case& c) { measure_one_sided(c, collective::Access::Kind::put); }

SCALEMARK_BENCHMARK("micro/put", put)
    .doc("Latency of a one-sided write from rank 0 to rank 1 and its completion")
    .with(one_sided_axes)
    .with(target_axis)
    .with(one_sided_memory_axis);

}  // namespace
}  // namespace scalemark::micro
