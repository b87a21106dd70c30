// SPDX-License-Identifier: Apache-2.0
// SwiGLU and rotary positions, each as one function of autograd that keeps only its inputs, and
// one kernel in each direction on GPUs.
#pragma once

#include <torch/types.h>

namespace scalemark::llm {

/// silu(gate) * up. On GPUs it is rounded once to the type, elsewhere as LibTorch's operators.
torch::Tensor fused_swiglu(const torch::Tensor& gate, const torch::Tensor& up);

/// rotate() (llama.hpp); its gradient is rotated back, and nothing but the table is kept.
torch::Tensor fused_rotate(const torch::Tensor& x_bshe, const torch::Tensor& rotation);

}  // namespace scalemark::llm
