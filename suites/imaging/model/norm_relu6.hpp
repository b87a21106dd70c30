// SPDX-License-Identifier: Apache-2.0
// Batch normalisation and ReLU6 in one, for tuned training on CPUs.
#pragma once

#include <ATen/core/Tensor.h>

namespace scalemark::imaging {

/// Whether norm_relu6() takes such an input: fp32 or fp64 on a CPU, channels-last in memory.
bool can_fuse_norm_relu6(const at::Tensor& x);

/// relu6(batch_norm(x)) in training mode with its gradients for x, weight and bias; updates the
/// running statistics as batch_norm does. x [n, c, h, w]; the others [c]. LibTorch's two operators
/// read and write the activations twice more, forward and backward.
at::Tensor norm_relu6(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      const at::Tensor& running_mean, const at::Tensor& running_var,
                      double momentum, double eps);

}  // namespace scalemark::imaging
