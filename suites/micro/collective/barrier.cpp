// SPDX-License-Identifier: Apache-2.0
// Barrier of the library: time from entering until the last rank has left.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

void barrier(Case& c) { measure_collective(c, Routine::barrier, {}); }

SCALEMARK_BENCHMARK("micro/barrier", barrier)
    .doc("The library's barrier over all ranks")
    .ranks(1, 2)
    .with(collective_axes(Routine::barrier));

}  // namespace
}  // namespace scalemark::micro
