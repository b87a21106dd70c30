// SPDX-License-Identifier: Apache-2.0
// Matrix products by the faster of LibTorch's CPU libraries. LibTorch sends fp32 linear maps to
// MKL, which uses AVX2 kernels on CPUs not made by Intel. oneDNN, also inside LibTorch, generates
// kernels for the instruction set of the machine.
#pragma once

#include <ATen/core/Tensor.h>

namespace scalemark::torch_support {

/// While it lives, the functions below use oneDNN on CPUs for fp32 products of at least 2^20
/// multiplications; below that its overhead exceeds the gain. At most one per process.
class FastProducts {
 public:
  explicit FastProducts(bool on);
  ~FastProducts();
  FastProducts(const FastProducts&) = delete;
  FastProducts& operator=(const FastProducts&) = delete;

 private:
  bool before_;
};

/// x W^T [..., out] for x [..., in] and weight [out, in], differentiable.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight);

/// a b [..., n] for a [..., k] and b [k, n], without gradients; both may be views.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);

}  // namespace scalemark::torch_support
