// SPDX-License-Identifier: Apache-2.0
// SwiGLU and rotary positions as fused autograd functions.
#include "suites/llm/model/fused_ops.hpp"

#include <torch/autograd.h>
#include <torch/utils.h>

#include "suites/llm/kernels/device_kernels.hpp"
#include "suites/llm/model/llama.hpp"

namespace scalemark::llm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct Swiglu : torch::autograd::Function<Swiglu> {
  static Variable forward(AutogradContext* context, const Variable& gate, const Variable& up) {
    context->save_for_backward({gate, up});
    if (!gate.is_cpu()) return device_kernels::swiglu(gate, up);
    return torch::silu(gate).mul_(up);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &gate = saved[0], &up = saved[1], &dy = gradients[0];
    if (!gate.is_cpu()) {
      const device_kernels::SwigluGradients result = device_kernels::swiglu_gradients(dy, gate, up);
      return {result.gate, result.up};
    }
    return {at::silu_backward(dy * up, gate), torch::silu(gate).mul_(dy)};
  }
};

torch::Tensor turned(const torch::Tensor& x, const torch::Tensor& rotation, bool back) {
  if (!x.is_cpu()) return device_kernels::rotate(x, rotation, back);
  return rotate(x.contiguous(), back ? rotation.conj() : rotation);
}

struct Rotate : torch::autograd::Function<Rotate> {
  static Variable forward(AutogradContext* context, const Variable& x_bshe,
                          const torch::Tensor& rotation) {
    context->save_for_backward({rotation});
    return turned(x_bshe, rotation, /*back=*/false);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {turned(gradients[0], context->get_saved_variables()[0], /*back=*/true), {}};
  }
};

}  // namespace

torch::Tensor fused_swiglu(const torch::Tensor& gate, const torch::Tensor& up) {
  return Swiglu::apply(gate, up);
}

torch::Tensor fused_rotate(const torch::Tensor& x_bshe, const torch::Tensor& rotation) {
  return Rotate::apply(x_bshe, rotation);
}

}  // namespace scalemark::llm
