// SPDX-License-Identifier: Apache-2.0
// Alltoallv: an alltoall with one count per rank. All counts are equal, as in OSU, or skewed, as
// where the tokens of a mixture of experts go to their experts and back.
#include <string>

#include "suites/micro/collective/collective_case.hpp"
#include "suites/micro/collective/skew.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// As alltoall: n - 1 of a rank's n blocks leave over its link. What the busiest link carries of
/// skewed blocks is not what the others do, so that these have no bus bandwidth.
void alltoallv(Case& c) {
  const double skew = c.number("skew");
  if (skew > 0) {
    c.fact("largest_share", zipf_shares(c.size(), skew).front());
    return measure_collective(c, Routine::alltoallv, {.formula = "n * bytes / latency"});
  }
  measure_collective(c, Routine::alltoallv,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

/// One point for each experiment: equal blocks have no direction.
void simplify(Point& point) {
  if (point.number("skew") == 0) point["exchange"] = std::string("dispatch");
}

SCALEMARK_BENCHMARK("micro/alltoallv", alltoallv)
    .doc("Alltoall with a count per rank; bytes is the block, or the mean of skewed ones")
    .ranks(1, 2)
    .with(collective_axes(Routine::alltoallv))
    .axis_number("skew",
                 {.minimum = 0,
                  .maximum = 8,
                  .defaults = {0},
                  .implied = 0.0,
                  .doc = "Zipf exponent of the counts: the k-th rank has 1/k^skew; 0: equal",
                  .unit = "1"})
    .axis("exchange",
          {.values = {"dispatch", "combine"},
           .defaults = {"dispatch"},
           .implied = "dispatch",
           .doc = "Skewed: first ranks are sent more (dispatch), or send more (combine)"})
    .where([](const Point& p) { return p.number("skew") == 0 || !p.flag("in_place"); })
    .adjust(simplify);

}  // namespace
}  // namespace scalemark::micro
