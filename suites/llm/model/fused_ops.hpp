// SPDX-License-Identifier: Apache-2.0
// SwiGLU and rotary positions, each as one autograd function that keeps only its inputs. On GPUs
// each runs one kernel per direction.
#pragma once

#include <torch/types.h>

namespace scalemark::llm {

/// silu(gate) * up. On GPUs it is rounded once to the type, elsewhere as LibTorch's operators.
torch::Tensor fused_swiglu(const torch::Tensor& gate, const torch::Tensor& up);

/// rotate() (llama.hpp); keeps only the table, as the gradient is rotated back.
torch::Tensor fused_rotate(const torch::Tensor& x_bshe, const torch::Tensor& rotation);

}  // namespace scalemark::llm
