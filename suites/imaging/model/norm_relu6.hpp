// SPDX-License-Identifier: Apache-2.0
// Fused batch normalisation and ReLU6, for tuned training on CPUs.
#pragma once

#include <ATen/core/Tensor.h>

namespace scalemark::imaging {

/// Whether norm_relu6() supports the input: fp32 or fp64 on a CPU, channels-last in memory.
bool can_fuse_norm_relu6(const at::Tensor& x);

/// relu6(batch_norm(x)) in training mode, with gradients for x, weight and bias. Updates the
/// running statistics as batch_norm does. x [n, c, h, w]; the others [c]. LibTorch's two operators
/// read and write the activations twice more, both forward and backward.
at::Tensor norm_relu6(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      const at::Tensor& running_mean, const at::Tensor& running_var,
                      double momentum, double eps);

}  // namespace scalemark::imaging
