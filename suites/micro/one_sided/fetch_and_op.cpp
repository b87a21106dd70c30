// SPDX-License-Identifier: Apache-2.0
// Fetch_and_op: rank 0 adds to one number of rank 1, and gets what it was.
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

void fetch_and_op(Case& c) { measure_one_sided(c, collective::Access::Kind::fetch_and_op); }

SCALEMARK_BENCHMARK("micro/fetch_and_op", fetch_and_op)
    .doc(
        "Latency of an atomic addition of rank 0 to a number of rank 1 that fetches the old number")
    .with(atomic_axes)
    .axis("dtype", {.values = {"int8", "int32", "int64", "fp32", "fp64"},
                    .defaults = {"int64"},
                    .implied = "int64"})
    .axis("op", {.values = {"sum", "prod", "min", "max"}, .defaults = {"sum"}, .implied = "sum"});

}  // namespace
}  // namespace scalemark::micro
