// SPDX-License-Identifier: Apache-2.0
// Passes tensors to the CUDA kernels as pointers.
#include "suites/llm/kernels/device_kernels.hpp"

#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/utils.h>

#include "suites/llm/kernels/cuda/rows.hpp"

namespace scalemark::llm::device_kernels {
namespace {

/// Makes the tensor's device current while it lives, and holds its stream.
struct Queue {
  explicit Queue(const torch::Tensor& tensor)
      : guard(tensor.device()),
        stream(c10::cuda::getCurrentCUDAStream(tensor.device().index()).stream()) {}
  c10::cuda::CUDAGuard guard;
  cudaStream_t stream;
};

/// Calls use(a number of the tensor's type); fake quantisation has no fp64.
template <typename Use>
void by_narrow_type(const torch::Tensor& tensor, const Use& use) {
  if (tensor.scalar_type() == torch::kFloat32) {
    use(float{});
  } else {
    use(c10::BFloat16{});
  }
}

}  // namespace

torch::Tensor swiglu(const torch::Tensor& gate, const torch::Tensor& up) {
  const Queue queue(gate);
  const torch::Tensor g = gate.contiguous(), u = up.contiguous();
  torch::Tensor y = torch::empty_like(g);
  AT_DISPATCH_FLOATING_TYPES_AND2(torch::kBFloat16, torch::kHalf, g.scalar_type(), "swiglu", [&] {
    cuda::swiglu(g.const_data_ptr<scalar_t>(), u.const_data_ptr<scalar_t>(), g.numel(),
                 y.mutable_data_ptr<scalar_t>(), queue.stream);
  });
  return y;
}

SwigluGradients swiglu_gradients(const torch::Tensor& dy, const torch::Tensor& gate,
                                 const torch::Tensor& up) {
  const Queue queue(gate);
  const torch::Tensor d = dy.contiguous(), g = gate.contiguous(), u = up.contiguous();
  SwigluGradients result{torch::empty_like(g), torch::empty_like(u)};
  AT_DISPATCH_FLOATING_TYPES_AND2(
      torch::kBFloat16, torch::kHalf, g.scalar_type(), "swiglu_gradients", [&] {
        cuda::swiglu_gradient(d.const_data_ptr<scalar_t>(), g.const_data_ptr<scalar_t>(),
                              u.const_data_ptr<scalar_t>(), g.numel(),
                              result.gate.mutable_data_ptr<scalar_t>(),
                              result.up.mutable_data_ptr<scalar_t>(), queue.stream);
      });
  return result;
}

torch::Tensor rotate(const torch::Tensor& x_bshe, const torch::Tensor& rotation, bool back) {
  const Queue queue(x_bshe);
  const torch::Tensor x = x_bshe.contiguous();
  const torch::Tensor table = torch::view_as_real(rotation.contiguous());
  const cuda::Rotation shape{.tokens = x.size(0) * x.size(1),
                             .heads = x.size(2),
                             .pairs = x.size(3) / 2,
                             .places = table.numel() / x.size(3),
                             .back = back};
  torch::Tensor y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(torch::kBFloat16, torch::kHalf, x.scalar_type(), "rotate", [&] {
    cuda::rotate(x.const_data_ptr<scalar_t>(), table.const_data_ptr<Wide<scalar_t>>(), shape,
                 y.mutable_data_ptr<scalar_t>(), queue.stream);
  });
  return y;
}

torch::Tensor dequantise(const Nf4Tensor& quantised) {
  const Queue queue(quantised.packed);
  torch::Tensor weight = torch::empty(quantised.shape, quantised.factors.options());
  AT_DISPATCH_FLOATING_TYPES_AND(torch::kBFloat16, quantised.type(), "dequantise_nf4", [&] {
    cuda::dequantise_nf4(quantised.packed.const_data_ptr<std::uint8_t>(),
                         quantised.scalers.const_data_ptr<std::int8_t>(),
                         quantised.factors.const_data_ptr<scalar_t>(),
                         quantised.mean.const_data_ptr<scalar_t>(), quantised.factors.numel(),
                         weight.mutable_data_ptr<scalar_t>(), queue.stream);
  });
  return weight;
}

torch::Tensor fake_quantise_weight(const torch::Tensor& weight, std::int64_t group, float floor) {
  const Queue queue(weight);
  const torch::Tensor w = weight.detach().contiguous();
  torch::Tensor values = torch::empty_like(w);
  by_narrow_type(w, [&](auto element) {
    using T = decltype(element);
    cuda::fake_quantise_weights(w.const_data_ptr<T>(), w.numel() / group, group, floor,
                                values.mutable_data_ptr<T>(), queue.stream);
  });
  return values;
}

torch::Tensor fake_quantise_tokens(const torch::Tensor& x) {
  const Queue queue(x);
  const torch::Tensor rows = x.detach().contiguous();
  torch::Tensor values = torch::empty_like(rows);
  const std::int64_t width = x.size(-1);
  by_narrow_type(rows, [&](auto element) {
    using T = decltype(element);
    cuda::fake_quantise_tokens(rows.const_data_ptr<T>(), rows.numel() / width, width,
                               values.mutable_data_ptr<T>(), queue.stream);
  });
  return values;
}

void mask_weight_gradient(torch::Tensor& gradient, const torch::Tensor& weight, std::int64_t group,
                          float floor) {
  const Queue queue(weight);
  const torch::Tensor w = weight.detach().contiguous();
  gradient = gradient.contiguous();
  by_narrow_type(w, [&](auto element) {
    using T = decltype(element);
    cuda::mask_weights(w.const_data_ptr<T>(), w.numel() / group, group, floor,
                       gradient.mutable_data_ptr<T>(), queue.stream);
  });
}

void mask_token_gradient(torch::Tensor& gradient, const torch::Tensor& x) {
  const Queue queue(x);
  const torch::Tensor rows = x.detach().contiguous();
  gradient = gradient.contiguous();
  const std::int64_t width = x.size(-1);
  by_narrow_type(rows, [&](auto element) {
    using T = decltype(element);
    cuda::mask_tokens(rows.const_data_ptr<T>(), rows.numel() / width, width,
                      gradient.mutable_data_ptr<T>(), queue.stream);
  });
}

}  // namespace scalemark::llm::device_kernels
