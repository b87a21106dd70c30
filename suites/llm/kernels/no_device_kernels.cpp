// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA kernels in builds whose LibTorch has no CUDA support.
#include "common/base/error.hpp"
#include "suites/llm/kernels/device_kernels.hpp"

namespace scalemark::llm::device_kernels {
namespace {

[[noreturn]] void fail() { throw Unavailable("the LibTorch of this build has no CUDA part"); }

}  // namespace

torch::Tensor swiglu(const torch::Tensor& /*gate*/, const torch::Tensor& /*up*/) { fail(); }
SwigluGradients swiglu_gradients(const torch::Tensor& /*dy*/, const torch::Tensor& /*gate*/,
                                 const torch::Tensor& /*up*/) {
  fail();
}
torch::Tensor rotate(const torch::Tensor& /*x_bshe*/, const torch::Tensor& /*rotation*/,
                     bool /*back*/) {
  fail();
}
torch::Tensor dequantise(const Nf4Tensor& /*quantised*/) { fail(); }
torch::Tensor fake_quantise_weight(const torch::Tensor& /*weight*/, std::int64_t /*group*/,
                                   float /*floor*/) {
  fail();
}
torch::Tensor fake_quantise_tokens(const torch::Tensor& /*x*/) { fail(); }
void mask_weight_gradient(torch::Tensor& /*gradient*/, const torch::Tensor& /*weight*/,
                          std::int64_t /*group*/, float /*floor*/) {
  fail();
}
void mask_token_gradient(torch::Tensor& /*gradient*/, const torch::Tensor& /*x*/) { fail(); }

}  // namespace scalemark::llm::device_kernels
