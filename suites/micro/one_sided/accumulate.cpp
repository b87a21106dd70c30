// SPDX-License-Identifier: Apache-2.0
// Accumulate: time until numbers of rank 0 are added to the window of rank 1.
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

void accumulate(Case& c) { measure_one_sided(c, collective::Access::Kind::accumulate); }

SCALEMARK_BENCHMARK("micro/accumulate", accumulate)
    .doc("Latency of a one-sided accumulate of rank 0 onto rank 1 and its completion")
    .with(accumulate_axes);

}  // namespace
}  // namespace scalemark::micro
