// SPDX-License-Identifier: Apache-2.0
// Get_accumulate: rank 0 adds to numbers of rank 1, and gets what they were.
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

void get_accumulate(Case& c) { measure_one_sided(c, collective::Access::Kind::get_accumulate); }

SCALEMARK_BENCHMARK("micro/get_accumulate", get_accumulate)
    .doc("Latency of a one-sided accumulate of rank 0 onto rank 1 that fetches the old numbers")
    .with(accumulate_axes)
    .memory([](const Point& p) { return 3 * bytes_of(p); });

}  // namespace
}  // namespace scalemark::micro
