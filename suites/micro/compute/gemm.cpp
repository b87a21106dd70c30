// SPDX-License-Identifier: Apache-2.0
// Matrix products, square or of Llama3 layers: cuBLASLt on GPUs, LibTorch on CPUs.
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/compute/checked_product.hpp"
#include "suites/micro/compute/gemm_data.hpp"
#include "suites/micro/compute/gemm_engine.hpp"
#include "suites/micro/launch/enqueued.hpp"

namespace scalemark::micro {
namespace {

/// Of a shape that the library does not multiply.
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// ns of the better of two products, after a first one.
std::int64_t quickest(GemmEngine& engine) {
  std::int64_t best = kNever;
  for (int trial = 0; trial < 3; ++trial) {
    const std::uint64_t start = now_ns();
    engine.start();
    engine.finish();
    if (trial > 0) best = std::min(best, static_cast<std::int64_t>(now_ns() - start));
  }
  return best;
}

/// Of a part of the asked shape, which the library may lack: fp4 of few columns.
std::int64_t quickest_if_any(Case& c, const GemmSize& size) {
  try {
    return quickest(*make_gemm(c, size, c.stream()));
  } catch (const Unavailable&) {
    return kNever;
  }
}

/// Collective. The candidate with the highest rate on its slowest rank. The first one is the
/// square.
GemmSize fastest_size(Case& c, std::int64_t rows) {
  const std::vector<GemmSize> candidates = gemm_candidates(rows);
  std::vector<std::int64_t> nanoseconds;
  for (const GemmSize& size : candidates) {
    nanoseconds.push_back(nanoseconds.empty() ? quickest(*make_gemm(c, size, c.stream()))
                                              : quickest_if_any(c, size));
    c.report_progress();
  }
  c.throw_if_peer_failed();
  c.ranks().max(nanoseconds);
  c.fact("shapes_tried", static_cast<std::int64_t>(std::ranges::count_if(
                             nanoseconds, [](auto ns) { return ns < kNever; })));
  std::size_t best = 0;
  const auto rate = [&](std::size_t i) {
    return candidates[i].flops() / static_cast<double>(nanoseconds[i]);
  };
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (rate(i) > rate(best)) best = i;
  }
  c.fact("square_fraction", rate(0) / rate(best));
  return candidates[best];
}

/// Of a point that says it.
GemmSize stated_size(const Point& p) {
  GemmSize size = gemm_size(p.text("shape"), p.text("model"), p.integer("rows"), p.text("product"));
  size.batch = p.integer("batch");
  return size;
}

GemmSize size_of(Case& c) {
  if (c.text("shape") == "best") return fastest_size(c, c.integer("rows"));
  return stated_size(c.result().params);
}

void gemm(Case& c) {
  const GemmSize size = size_of(c);
  const std::string& precision = c.text("precision");
  const GemmValues timed = c.text("data") == "normal" ? GemmValues::normal : GemmValues::known;
  CheckedProduct product(c, size, timed, c.stream());
  // Checked before and after the samples with known values, timed with those of the axis.
  c.verify(kProductRule, {.fill = [&](int) { product.fill_known(); },
                          .check = [&](int) { return product.check(); },
                          .count = 1});
  c.fact("timed_data",
         timed == GemmValues::normal ? "normal numbers" : "whole numbers from -3 to 3");
  c.work({.moved = static_cast<double>(matrix_bytes(size, precision)),
          .flops = size.flops(),
          .precision = precision,
          .formula = "2 m n k / time"});
  c.fact("m", size.m);
  c.fact("n", size.n);
  c.fact("k", size.k);
  c.measure([&] { product.start(); }, [&] { product.finish(); },
            with_cache(c, {.metric = "time", .inner = 0, .barrier = false}, {product.a()}));
  measure_enqueued(
      c, [&] { product.start(); }, c.stream());
  c.recorder().set_primary("achieved_flops");
}

/// Of shape `best` nothing is known before it was looked for.
OperationWork product_work(const Point& p) {
  if (p.text("shape") == "best") return {};
  const GemmSize size = stated_size(p);
  return {.flops = size.flops(),
          .bytes = static_cast<double>(matrix_bytes(size, p.text("precision")))};
}

/// Equal parts of the rows, in precisions that LibTorch multiplies. A gradient of the weight is
/// one.
bool has_valid_batch(const Point& p) {
  return p.integer("rows") % p.integer("batch") == 0 && p.text("product") != "weight_gradient" &&
         p.text("shape") != "best" && !p.text("precision").starts_with("fp8") &&
         !p.text("precision").starts_with("fp4");
}

bool is_sensible(const Point& p) {
  if (p.integer("batch") > 1 && !has_valid_batch(p)) return false;
  if (p.flag("fast_accumulation") && (p.text("precision") != "fp8" || p.text("device") != "cuda"))
    return false;
  // cuBLASLt multiplies fp8 and fp4 only as the forward pass stores them.
  const bool is_small = p.text("precision") == "fp8" || p.text("precision") == "fp4";
  if (is_small && p.text("product") != "forward") return false;
  const std::string& shape = p.text("shape");
  if (shape == "best" && p.text("product") != "forward") return false;
  return (shape != "square" && shape != "best") || p.text("model") == "8b";
}

SCALEMARK_BENCHMARK("micro/gemm", gemm)
    .doc("Matrix product, square or of a Llama3 layer, forward or of a gradient")
    .axis("shape", {.values = gemm_shapes(),
                    .defaults = {"square"},
                    .doc = "Square, the fastest of 27 shapes up to `rows` (best), or a layer or "
                           "adapter of the model"})
    .axis("product",
          {.values = gemm_products(),
           .defaults = {"forward"},
           .implied = "forward",
           .doc = "Product of the layer: its output, or the gradient of its input or weight"})
    .axis("model", {.values = gemm_models(), .defaults = {"8b"}, .implied = "8b"})
    .axis_integer("rows", {.minimum = 1,
                           .maximum = 1 << 17,
                           .defaults = "256:2048:*2",
                           .quick = "512",
                           .doc = "Rows of the input matrix, the tokens of a layer",
                           .unit = "{row}"})
    .axis_integer("batch", {.minimum = 1,
                            .maximum = 1 << 17,
                            .defaults = "1",
                            .implied = 1,
                            .doc = "Matrices in the batch: so many equal parts of the rows, "
                                   "multiplied by the same weight (bmm)",
                            .unit = "{matrix}"})
    .axis("data",
          {.values = {"normal", "whole_numbers"},
           .defaults = {"normal"},
           .implied = "normal",
           .doc = "What is multiplied while timed: small whole numbers draw less power on a GPU"})
    .axis("precision", {.values = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp4"},
                        .defaults = {"fp32"},
                        .defaults_with_gpu = {"bf16"}})
    .axis_boolean("fast_accumulation",
                  {.defaults = {false},
                   .implied = false,
                   .doc = "fp8 on a GPU: sums are kept in fewer bits, which is faster"})
    .with(cache_axes)
    .compute_axes()
    .rank_local()
    .operation_work(product_work)
    .where(is_sensible)
    .memory([](const Point& p) { return matrix_bytes(stated_size(p), p.text("precision")); });

}  // namespace
}  // namespace scalemark::micro
