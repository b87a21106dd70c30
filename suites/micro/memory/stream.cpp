// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/stream: STREAM (McCalpin 1995) copy, scale, add and triad over arrays of `bytes`
// each, with all compute threads of each rank or on its GPU.
#include <cstdint>
#include <memory>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/memory/numa_choice.hpp"
#include "suites/micro/memory/stream_engine.hpp"

namespace scalemark::micro {
namespace {

bool on_gpu(const Point& p) { return p.text("device") == "cuda"; }

/// The axes stores, host_memory and numa apply to host memory only.
bool stream_makes_sense(const Point& p) {
  return !on_gpu(p) || (p.text("stores") == "plain" && p.text("host_memory") == "pageable" &&
                        p.text("numa") == "local");
}

/// Number of arrays that go through memory: a plain store on the host first reads a line that is in
/// no cache.
double arrays_moved(const Point& p, StreamKernel kernel) {
  const bool reads_first = !on_gpu(p) && p.text("stores") == "plain";
  return stream_reads(kernel) + 1 + (reads_first ? 1 : 0);
}

std::size_t element_of(const Point& p) {
  return p.text("dtype") == "fp64" ? sizeof(double) : sizeof(float);
}

OperationWork stream_work(const Point& p) {
  const StreamKernel kernel = stream_kernel_from(p.text("operation"));
  const std::size_t element = element_of(p),
                    count = static_cast<std::size_t>(p.integer("bytes")) / element;
  return {.flops = static_cast<double>(stream_flops(kernel)) * static_cast<double>(count),
          .bytes = (stream_reads(kernel) + 1) * static_cast<double>(count * element)};
}

void measure_stream(Case& c) {
  const StreamKernel kernel = stream_kernel_from(c.text("operation"));
  const std::size_t element = element_of(c.result().params);
  const std::size_t count = static_cast<std::size_t>(c.integer("bytes")) / element;
  const bool gpu = on_gpu(c.result().params);
  const int node = gpu ? -1 : require_numa(c).node;
  const std::unique_ptr<StreamEngine> engine =
      gpu ? make_gpu_stream(c, count) : make_host_stream(c, count, node);
  c.verify("every element against the loop's exact result", [&] { return engine->check(); });
  const auto array = static_cast<double>(count * element);
  const auto [flops, counted] = stream_work(c.result().params);
  c.work({.bytes = counted,
          .moved = arrays_moved(c.result().params, kernel) * array,
          .flops = flops,
          .precision = c.text("dtype"),
          .formula = "bytes read and written / time",
          .carrier = gpu ? Carrier::device_memory : Carrier::host_memory,
          .memory_node = node});
  c.measure([&] { engine->start(); }, [&] { engine->finish(); },
            {.metric = "time", .inner = 0, .barrier = false});
  if (c.size() > 1)
    c.record_rate("total_bandwidth", "By/s", "time", c.size() * counted,
                  "ranks * bytes read and written / time");
  c.recorder().set_primary("bandwidth");
}

SCALEMARK_BENCHMARK("micro/stream", measure_stream)
    .doc("STREAM: copy, scale, add, triad over three arrays")
    .axis("operation", {.values = {"copy", "scale", "add", "triad"},
                        .doc = "Loop of STREAM: copy, scale, add or triad"})
    .axis("stores",
          {.values = {"plain", "non_temporal"}, .defaults = {"plain"}, .implied = "plain"})
    .axis("dtype", {.values = {"fp64", "fp32"}, .defaults = {"fp64"}, .implied = "fp64"})
    .axis("host_memory",
          {.values = {"pageable", "huge_pages"}, .defaults = {"pageable"}, .implied = "pageable"})
    .with(numa_axis)
    .axis_integer("bytes", {.minimum = 8,
                            .maximum = std::int64_t{1} << 38,
                            .defaults = "32K:128M:*16",
                            .quick = "128M",
                            .doc = "Size of each of the three arrays",
                            .unit = "By"})
    .compute_axes()
    .rank_local()
    .where(stream_makes_sense)
    .operation_work(stream_work)
    .memory([](const Point& p) { return 3 * bytes_of(p); })
    .host_memory([](const Point& p) { return on_gpu(p) ? bytes_of(p) : 0; });

}  // namespace
}  // namespace scalemark::micro
