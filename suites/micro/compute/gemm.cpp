// SPDX-License-Identifier: Apache-2.0
// Matrix products, square or of Llama3 layers: cuBLASLt on GPUs, LibTorch on CPUs.
#include <memory>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/compute/gemm_data.hpp"
#include "suites/micro/compute/gemm_engine.hpp"

namespace scalemark::micro {
namespace {

GemmSize size_of_point(const Params& p) {
  return gemm_size(std::get<std::string>(p.at("shape")), std::get<std::string>(p.at("model")),
                   std::get<std::int64_t>(p.at("rows")));
}

double bytes_of(const GemmSize& size, const std::string& precision) {
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
  c.verify("elements at 2304 places against the exact sums", [&] {
    const GemmCheck found = engine->check();
    return Case::Checked{found.checked, found.wrong};
  });
  c.work({.moved = bytes_of(size, precision),
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
    .axis("shape", gemm_shapes(), {"square"})
    .axis("model", {"1b", "3b", "8b"}, {"8b"})
    .implied(std::string("8b"))
    .axis_integer("rows", 1, 1 << 17, "256:2048:*2", "512")
    .axis("precision", {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8"}, {"fp32"})
    .default_by_gpu("fp32", "bf16")
    .compute_axes()
    .rank_local()
    .where([](const Params& p) {
      const bool square = std::get<std::string>(p.at("shape")) == "square";
      return !square || std::get<std::string>(p.at("model")) == "8b";
    })
    .memory([](const Params& p) {
      return static_cast<std::uint64_t>(
          bytes_of(size_of_point(p), std::get<std::string>(p.at("precision"))));
    });

}  // namespace
}  // namespace scalemark::micro
