// SPDX-License-Identifier: Apache-2.0
// Matrix product by LibTorch's CPU BLAS, one thread, fp32, square.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

namespace {

void gemm_kernel(benchmark::State& state) {
  at::set_num_threads(1);
  const std::int64_t n = state.range(0);
  const at::Tensor a = at::ones({n, n}), b = at::ones({n, n});
  at::Tensor product = at::empty({n, n});
  for (auto _ : state) {
    at::mm_out(product, a, b);
    benchmark::DoNotOptimize(product.data_ptr());
  }
  // Ones times ones: every element is n, exact in fp32.
  if (!product.eq(static_cast<double>(n)).all().item<bool>())
    state.SkipWithError("wrong data: an element is not n");
  state.counters["flops"] = benchmark::Counter(
      2.0 * static_cast<double>(n * n * n) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}

BENCHMARK(gemm_kernel)
    ->Name("gemm")
    ->ArgName("n")
    ->RangeMultiplier(2)
    ->Range(128, 1024)
    ->UseRealTime();

}  // namespace
