// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/kernel_launch: empty kernels. Measures the launch call, the time until the kernel
// runs, the time until the host knows it is done, and the rate at which a full queue drains.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/device/launch.hpp"
#include "suites/micro/launch/launch_work.hpp"

namespace scalemark::micro {
namespace {

void kernel_launch(Case& c) {
  const int nodes = static_cast<int>(c.integer("graph_nodes"));
  const auto queue =
      device::make_launch_queue(c.hardware().gpu(), static_cast<int>(c.integer("streams")), nodes);
  measure_launches(c, *queue, nodes);
}

SCALEMARK_BENCHMARK("micro/kernel_launch", kernel_launch)
    .doc("Launching empty kernels: the call, the start, the end, a full queue; plain and as graphs")
    .rank_local()
    .axis_integer(
        "graph_nodes",
        {.minimum = 0, .maximum = 1000, .defaults = "0,1,10,100,1000", .quick = "0", .implied = 0})
    .axis_integer("streams",
                  {.minimum = 1, .maximum = 16, .defaults = "1,4,16", .quick = "1", .implied = 1})
    .works_on_gpu([](const Point&) { return true; })
    .needs("a CUDA device");

}  // namespace
}  // namespace scalemark::micro
