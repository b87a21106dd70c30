// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/burn_in: matrix products without pause, for minutes or hours. Does the machine
// keep its rate, and does it compute the same each time?
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/compute/gemm_data.hpp"
#include "suites/micro/compute/gemm_engine.hpp"
#include "suites/micro/compute/repeated_product.hpp"

namespace scalemark::micro {
namespace {

/// A short load has so many intervals, a longer one each second.
constexpr std::int64_t kFewestIntervals = 20;

/// Collective. Up to `seconds` of load on all ranks at once; less if the run is to end.
void load(Case& c, RepeatedProduct& product, std::int64_t seconds) {
  const CaseCheckpoint::Stoppable stoppable(c.checkpoint());
  const std::int64_t intervals = std::max(seconds, kFewestIntervals);
  const auto each = static_cast<std::uint64_t>(seconds * 1'000'000'000 / intervals);
  c.phase("load");
  for (std::int64_t i = 0; i < intervals; ++i) {
    product.run_interval(each);
    if (c.checkpoint().stop_requested() && i + 1 < intervals) {
      c.fact("stopped_early", true);
      return;
    }
  }
}

void record_load(Case& c, const RepeatedProduct& product, double flops) {
  const RepeatedProduct::Intervals& all = product.intervals();
  c.record("time", "s", Better::lower, MetricKind::duration, RankReduce::max, all.seconds,
           "time of an interval / products in it");
  c.recorder().began("time", all.began);
  c.peaks().record_flops("time", flops, c.text("precision"), "2 m n k / time");
  c.record("lost_rate", "1", Better::lower, MetricKind::ratio, RankReduce::max,
           std::vector{lost_rate(all.seconds)},
           "1 - median rate of the last quarter of the intervals / that of the first");
  c.recorder().set_primary("achieved_flops");
}

/// Collective. Fails the case if a result was wrong, and says when the first one was.
void check_results(Case& c, const RepeatedProduct& product) {
  const RepeatedProduct::Intervals& all = product.intervals();
  std::string rule = "every element of the results, bit by bit, against the first one's";
  const auto first = std::ranges::find_if(all.wrong_elements, [](auto wrong) { return wrong > 0; });
  if (first != all.wrong_elements.end()) {
    const auto before = static_cast<std::size_t>(first - all.wrong_elements.begin());
    rule += fmt::format("; wrong at first in the interval that began {:.1f} s after the first",
                        static_cast<double>(all.began[before] - all.began[0]) * 1e-9);
  }
  c.recorder().verified(
      rule, {product.checked(), std::reduce(all.wrong_elements.begin(), all.wrong_elements.end())});
}

void burn_in(Case& c) {
  const GemmSize size = gemm_size("square", "8b", c.integer("rows"));
  const std::unique_ptr<GemmEngine> engine = make_gemm(c, size, c.stream());
  RepeatedProduct product(*engine, [&] { c.report_progress(); });
  c.throw_if_peer_failed();
  load(c, product, c.integer("seconds"));
  record_load(c, product, size.flops());
  check_results(c, product);
}

SCALEMARK_BENCHMARK("micro/burn_in", burn_in)
    .doc("Matrix products without pause: is the rate kept, and is each result the same")
    .axis_integer("seconds", {.minimum = 1,
                              .maximum = 7 * 24 * 3600,
                              .defaults = "60",
                              .quick = "2",
                              .doc = "How long the load lasts",
                              .unit = "s"})
    .axis_integer("rows", {.minimum = 1,
                           .maximum = 1 << 15,
                           .defaults = "2048",
                           .doc = "Rows and columns of the square matrices",
                           .unit = "{row}"})
    .axis("precision", {.values = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp4"},
                        .defaults = {"fp32"},
                        .defaults_with_gpu = {"bf16"}})
    .compute_axes()
    .fixed_work()
    .memory([](const Point& p) {
      const GemmSize size = gemm_size("square", "8b", p.integer("rows"));
      return matrix_bytes(size, p.text("precision"));
    });

}  // namespace
}  // namespace scalemark::micro
