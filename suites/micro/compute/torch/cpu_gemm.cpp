// SPDX-License-Identifier: Apache-2.0
// Matrix products with LibTorch on the host.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "common/torch/precision.hpp"
#include "suites/micro/compute/gemm_engine.hpp"

namespace scalemark::micro {
namespace {

class CpuGemm final : public GemmEngine {
 public:
  CpuGemm(const GemmSize& size, const std::string& precision)
      : size_(size),
        precision_(precision),
        a_(at::empty({size.m, size.k}, torch_support::storage_type(precision))),
        weight_(at::empty({size.n, size.k}, torch_support::storage_type(precision))),
        c_(at::full({size.m, size.n}, -1e3, torch_support::storage_type(precision))),
        transposed_(weight_.t()) {
    fill(GemmValues::random);
  }
  void fill(GemmValues values) override {
    write_a(a_.data_ptr(), size_, precision_, values);
    write_weight(weight_.data_ptr(), size_, precision_, values);
  }
  void start() override { at::mm_out(c_, a_, transposed_); }
  void finish() override {}
  GemmCheck check() override {
    const GemmCheck result = check_product(c_.data_ptr(), size_, precision_);
    c_.fill_(-1e3);
    return result;
  }

 private:
  GemmSize size_;
  std::string precision_;
  at::Tensor a_, weight_, c_, transposed_;
};

}  // namespace

std::unique_ptr<GemmEngine> make_cpu_gemm(Case& c, const GemmSize& size) {
  const std::string& precision = c.text("precision");
  if (precision == "tf32" || precision == "fp8") c.skip(precision + " is computed by GPUs only");
  at::set_num_threads(c.hardware().threads());
  return std::make_unique<CpuGemm>(size, precision);
}

}  // namespace scalemark::micro
