// SPDX-License-Identifier: Apache-2.0
// Matrix products by the faster of LibTorch's libraries. On CPUs its linear maps of fp32 go to MKL,
// which has AVX2 kernels for machines that are not Intel's; oneDNN, which is inside LibTorch too,
// makes kernels for what the machine has.
#pragma once

#include <ATen/core/Tensor.h>

namespace scalemark::torch_support {

/// While it lives, the functions below take oneDNN on CPUs for fp32 and products of 2^20
/// multiplications and more (below that its start costs more than it gains). One a process.
class FastProducts {
 public:
  explicit FastProducts(bool on);
  ~FastProducts();
  FastProducts(const FastProducts&) = delete;
  FastProducts& operator=(const FastProducts&) = delete;

 private:
  bool before_;
};

/// x W^T [..., out] of x [..., in] and weight [out, in], differentiable.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight);

/// a b [..., n] of a [..., k] and b [k, n], without gradients; both may be views.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);

}  // namespace scalemark::torch_support
