// SPDX-License-Identifier: Apache-2.0
// Matrix products, square or of Llama3 layers: cuBLASLt on GPUs, LibTorch on CPUs.
#include <memory>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/compute/gemm_data.hpp"
#include "suites/micro/compute/gemm_engine.hpp"

namespace scalemark::micro {
namespace {

GemmSize size_of_point(const Point& p) {
  return gemm_size(p.text("shape"), p.text("model"), p.integer("rows"));
}

double matrix_bytes(const GemmSize& size, const std::string& precision) {
  const GemmTypes types = gemm_types(precision);
  return static_cast<double>(size.m * size.k + size.n * size.k) *
             static_cast<double>(types.operand) +
         static_cast<double>(size.m * size.n) * static_cast<double>(types.result);
}

void gemm(Case& c) {
  const GemmSize size = size_of_point(c.result().params);
  const std::string& precision = c.text("precision");
  const std::unique_ptr<GemmEngine> engine =
      c.text("device") == "cuda" ? make_gpu_gemm(c, size) : make_cpu_gemm(c, size);
  GemmValues values = GemmValues::random;
  const auto fill = [&](GemmValues wanted) {
    if (values != wanted) engine->fill(wanted);
    values = wanted;
  };
  // Checked before and after the samples with known values, timed with random ones.
  c.verify("elements at 2304 places against the exact sums",
           {.fill = [&](int) { fill(GemmValues::known); },
            .check =
                [&](int) {
                  if (values == GemmValues::random) {
                    fill(GemmValues::known);
                    engine->start();
                    engine->finish();
                  }
                  const GemmCheck found = engine->check();
                  fill(GemmValues::random);
                  return Case::Checked{found.checked, found.wrong};
                },
            .count = 1});
  c.fact("timed_data", "random numbers from [-1, 1)");
  c.work({.moved = matrix_bytes(size, precision),
          .flops = size.flops(),
          .precision = precision,
          .formula = "2 m n k / time"});
  c.fact("m", size.m);
  c.fact("n", size.n);
  c.fact("k", size.k);
  c.measure([&] { engine->start(); }, [&] { engine->finish(); },
            {.metric = "time", .inner = 0, .barrier = false});
  c.recorder().set_primary("achieved_flops");
}

SCALEMARK_BENCHMARK("micro/gemm", gemm)
    .doc("Matrix product, square or of a Llama3 layer: C = A W^T")
    .axis("shape", {.values = gemm_shapes(), .defaults = {"square"}})
    .axis("model", {.values = {"1b", "3b", "8b"}, .defaults = {"8b"}, .implied = "8b"})
    .axis_integer("rows", {.minimum = 1,
                           .maximum = 1 << 17,
                           .defaults = "256:2048:*2",
                           .quick = "512",
                           .doc = "Rows of the input matrix, the tokens of a layer",
                           .unit = "{row}"})
    .axis("precision", {.values = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8"},
                        .defaults = {"fp32"},
                        .defaults_with_gpu = {"bf16"}})
    .axis_boolean("fast_accumulation",
                  {.defaults = {false},
                   .implied = false,
                   .doc = "fp8 on a GPU: sums are kept in fewer bits, which is faster"})
    .compute_axes()
    .rank_local()
    .where([](const Point& p) {
      if (p.flag("fast_accumulation") &&
          (p.text("precision") != "fp8" || p.text("device") != "cuda"))
        return false;
      return p.text("shape") != "square" || p.text("model") == "8b";
    })
    .memory([](const Point& p) {
      return static_cast<std::uint64_t>(matrix_bytes(size_of_point(p), p.text("precision")));
    });

}  // namespace
}  // namespace scalemark::micro
