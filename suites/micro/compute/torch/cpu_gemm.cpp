// SPDX-License-Identifier: Apache-2.0
// Matrix products with LibTorch on the host.
#include <cstddef>
#include <span>

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
        a_(matrix(size.m, size.k, size.a_by_inner)),
        weight_(matrix(size.n, size.k, size.w_by_inner)),
        c_(at::full({size.m, size.n}, -1e3, torch_support::storage_type(precision))),
        left_(size.a_by_inner ? a_.t() : a_),
        right_(size.w_by_inner ? weight_ : weight_.t()),
        batch_of_a_(left_.unflatten(0, {size.batch, -1})),
        batch_of_c_(c_.unflatten(0, {size.batch, -1})) {
    fill(GemmValues::normal);
  }
  void fill(GemmValues values) override {
    repeat(a_.data_ptr(), a_.nbytes(), part_of_a(size_, precision_, values));
    repeat(weight_.data_ptr(), weight_.nbytes(), part_of_weight(size_, precision_, values));
  }
  void start() override {
    if (size_.batch == 1)
      at::mm_out(c_, left_, right_);
    else
      at::bmm_out(batch_of_c_, batch_of_a_, right_.expand({size_.batch, -1, -1}));
  }
  void finish() override {}
  std::span<const std::byte> a() const override {
    return {static_cast<const std::byte*>(a_.const_data_ptr()), a_.nbytes()};
  }
  GemmResult result() override {
    const auto* first = static_cast<const std::uint8_t*>(c_.data_ptr());
    return {{first, first + c_.nbytes()}, static_cast<std::size_t>(c_.element_size())};
  }
  GemmCheck check() override {
    const GemmCheck result = check_product(c_.data_ptr(), size_, precision_);
    c_.fill_(-1e3);
    return result;
  }

 private:
  at::Tensor matrix(std::int64_t rows, std::int64_t inner, bool by_inner) const {
    const at::ScalarType type = torch_support::storage_type(precision_);
    return by_inner ? at::empty({inner, rows}, type) : at::empty({rows, inner}, type);
  }

  GemmSize size_;
  std::string precision_;
  at::Tensor a_, weight_, c_;
  at::Tensor left_, right_;             ///< views of a_ [m, k] and weight_ [k, n]
  at::Tensor batch_of_a_, batch_of_c_;  ///< views of a_ and c_ by batch
};

}  // namespace

std::unique_ptr<GemmEngine> make_cpu_gemm(Case& c, const GemmSize& size) {
  const std::string& precision = c.text("precision");
  if (precision == "tf32" || precision == "fp8" || precision == "fp4")
    c.skip(precision + " is computed by GPUs only");
  at::set_num_threads(c.hardware().threads());
  return std::make_unique<CpuGemm>(size, precision);
}

}  // namespace scalemark::micro
