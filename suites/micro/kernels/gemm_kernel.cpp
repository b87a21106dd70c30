// SPDX-License-Identifier: Apache-2.0
// Kernel: square matrix product with LibTorch on one host thread, row-major operands.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "common/torch/precision.hpp"
#include "suites/micro/compute/gemm_data.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

void run_gemm(benchmark::State& state, const std::string& precision, std::int64_t n) {
  at::set_num_threads(1);
  const GemmSize size{.m = n, .n = n, .k = n};
  const at::ScalarType type = torch_support::storage_type(precision);
  const at::Tensor a = at::empty({n, n}, type), weight = at::empty({n, n}, type);
  repeat(a.data_ptr(), a.nbytes(), whole_part(n, n, precision, gemm_a));
  repeat(weight.data_ptr(), weight.nbytes(), whole_part(n, n, precision, gemm_w));
  const at::Tensor b = weight.t().contiguous();
  at::Tensor product = at::full({n, n}, -1e3, type);
  at::mm_out(product, a, b);  // untimed: the first call generates code for this shape
  for (auto _ : state) {
    at::mm_out(product, a, b);
    benchmark::DoNotOptimize(product.data_ptr());
  }
  const GemmCheck check = check_product(product.data_ptr(), size, precision);
  set_checked(state, check.checked, check.wrong, "some thousand elements, exact");
  set_work(state, {.moved = static_cast<double>(3 * product.nbytes()), .flops = size.flops()});
}

[[maybe_unused]] const bool kGemmAdded = [] {
  for (const char* precision : {"fp32", "bf16"}) {
    for (const std::int64_t n : {128, 256, 512, 1024}) {
      Point params = {{"device", std::string("cpu")}, {"n", n}};
      // fp32 is implied, so that keys match those in older files.
      if (std::string_view(precision) != "fp32") params["precision"] = std::string(precision);
      add("gemm", params, [=](benchmark::State& state) { run_gemm(state, precision, n); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace scalemark::micro::kernels
