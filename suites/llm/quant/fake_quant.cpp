// SPDX-License-Identifier: Apache-2.0
// Fake quantisation by our own loops and kernels, and its autograd function.
#include "suites/llm/quant/fake_quant.hpp"

#include <algorithm>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/torch/products.hpp"
#include "suites/llm/kernels/device_kernels.hpp"
#include "suites/llm/quant/fake_quant_rows.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kGrain = 1 << 14;  ///< minimum number of elements per thread

void check_type(const torch::Tensor& tensor) {
  const torch::ScalarType type = tensor.scalar_type();
  if (type != torch::kFloat32 && type != torch::kBFloat16)
    throw Error(fmt::format("fake quantisation takes fp32 and bf16, not {}", toString(type)));
}

void check_weight(const torch::Tensor& weight, const FakeQuantOptions& options) {
  check_type(weight);
  if (options.group < 1 || weight.dim() != 2 || weight.size(1) % options.group != 0) {
    throw Error(fmt::format("fake quantisation: a group of {} does not divide a width of {}",
                            options.group, weight.size(-1)));
  }
}

float weight_floor(const torch::Tensor& weight, const FakeQuantOptions& options) {
  const bool bf16 = options.floor_of_type && weight.scalar_type() == torch::kBFloat16;
  return bf16 ? fake_quant::kBf16Epsilon : fake_quant::kFp32Epsilon;
}

/// Calls use(typed pointers, first row, rows) for chunks of rows of `width` elements.
template <typename Use>
void for_rows(const torch::Tensor& like, std::int64_t width, const Use& use) {
  const std::int64_t rows = like.numel() / width;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / width);
  at::parallel_for(0, rows, grain, [&](std::int64_t from, std::int64_t to) {
    if (like.scalar_type() == torch::kFloat32) {
      use(float{}, from, to - from);
    } else {
      use(c10::BFloat16{}, from, to - from);
    }
  });
}

/// In place: zeroes the gradient of a weight whose code was clipped.
void mask_weight_gradient(torch::Tensor& gradient, const torch::Tensor& weight,
                          const FakeQuantOptions& options) {
  const float floor = weight_floor(weight, options);
  if (!gradient.is_cpu()) {
    device_kernels::mask_weight_gradient(gradient, weight, options.group, floor);
    return;
  }
  if (!gradient.is_contiguous() || !weight.is_contiguous()) {
    gradient.mul_(examine_weight(weight, options).inside);
    return;
  }
  for_rows(weight, options.group, [&](auto element, std::int64_t first, std::int64_t count) {
    using T = decltype(element);
    const std::int64_t skip = first * options.group;
    fake_quant::mask_weights(weight.const_data_ptr<T>() + skip, count, options.group, floor,
                             gradient.mutable_data_ptr<T>() + skip);
  });
}

void mask_token_gradient(torch::Tensor& gradient, const torch::Tensor& x) {
  if (!gradient.is_cpu()) {
    device_kernels::mask_token_gradient(gradient, x);
    return;
  }
  if (!gradient.is_contiguous() || !x.is_contiguous()) {
    gradient.mul_(examine_tokens(x).inside);
    return;
  }
  const std::int64_t width = x.size(-1);
  for_rows(x, width, [&](auto element, std::int64_t first, std::int64_t count) {
    using T = decltype(element);
    fake_quant::mask_tokens(x.const_data_ptr<T>() + first * width, count, width,
                            gradient.mutable_data_ptr<T>() + first * width);
  });
}

/// A number as a tensor on the device: GPUs divide by a scalar by multiplying with its inverse.
torch::Tensor number_like(const torch::Tensor& tensor, float value) {
  return torch::full({}, value, tensor.options());
}

/// One operator a statement, as Python frees what an operator has read.
FakeQuantised examined(const torch::Tensor& rows, const torch::Tensor& scales,
                       const torch::Tensor& zero_points, float least, float most) {
  torch::Tensor code = rows.to(torch::kFloat32) * scales.reciprocal();
  code = code.round();
  code = code + zero_points;
  const torch::Tensor inside = code.ge(least).logical_and(code.le(most));
  code = code.clamp(least, most);
  torch::Tensor values = code.to(torch::kInt32);
  values = values - zero_points.to(torch::kInt32);
  values = values.to(torch::kFloat32);
  values = values * scales;
  return {.values = values.to(rows.scalar_type()),
          .codes = code,
          .scales = scales,
          .zero_points = zero_points,
          .inside = inside};
}

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

void keep(AutogradContext* context, const FakeQuantOptions& options) {
  context->saved_data["group"] = options.group;
  context->saved_data["clip_gradient"] = options.clip_gradient;
  context->saved_data["floor_of_type"] = options.floor_of_type;
}

FakeQuantOptions kept_options(AutogradContext* context) {
  return {context->saved_data["group"].toInt(), context->saved_data["clip_gradient"].toBool(),
          context->saved_data["floor_of_type"].toBool()};
}

struct FakeQuantLinear : torch::autograd::Function<FakeQuantLinear> {
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight,
                          const FakeQuantOptions& options) {
    context->save_for_backward({x, weight});
    keep(context, options);
    return torch_support::linear(fake_quantise_tokens(x), fake_quantise_weight(weight, options));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1], &dy = gradients[0];
    const FakeQuantOptions options = kept_options(context);
    torch::Tensor dx, dweight;
    if (context->needs_input_grad(0)) {
      dx = torch_support::product(dy, fake_quantise_weight(weight, options));
      if (options.clip_gradient) mask_token_gradient(dx, x);
    }
    if (context->needs_input_grad(1)) {
      dweight = torch_support::product(dy.reshape({-1, dy.size(-1)}).t(),
                                       fake_quantise_tokens(x).reshape({-1, x.size(-1)}));
      if (options.clip_gradient) mask_weight_gradient(dweight, weight, options);
    }
    return {dx, dweight, {}};
  }
};

struct StraightThroughTokens : torch::autograd::Function<StraightThroughTokens> {
  static Variable forward(AutogradContext* context, const Variable& x, bool clip_gradient) {
    if (clip_gradient) context->save_for_backward({x});
    return fake_quantise_tokens(x);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    if (saved.empty()) return {gradients[0], {}};
    torch::Tensor dx = gradients[0].clone(at::MemoryFormat::Contiguous);
    mask_token_gradient(dx, saved[0]);
    return {dx, {}};
  }
};

struct StraightThroughWeight : torch::autograd::Function<StraightThroughWeight> {
  static Variable forward(AutogradContext* context, const Variable& weight,
                          const FakeQuantOptions& options) {
    keep(context, options);
    if (options.clip_gradient) context->save_for_backward({weight});
    return fake_quantise_weight(weight, options);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    if (saved.empty()) return {gradients[0], {}};
    torch::Tensor dweight = gradients[0].clone(at::MemoryFormat::Contiguous);
    mask_weight_gradient(dweight, saved[0], kept_options(context));
    return {dweight, {}};
  }
};

/// Passes the gradient where `inside`. It keeps that, and the source, which torchao's search for
/// the extremes keeps.
struct PassInside : torch::autograd::Function<PassInside> {
  static Variable forward(AutogradContext* context, const Variable& source,
                          const torch::Tensor& values, const torch::Tensor& inside) {
    context->save_for_backward({inside, source});
    return values;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {gradients[0] * context->get_saved_variables()[0], {}, {}};
  }
};

torch::Tensor pass_inside(const torch::Tensor& source, const FakeQuantised& quantised,
                          const FakeQuantOptions& options) {
  const torch::Tensor& inside = quantised.inside;
  return PassInside::apply(source, quantised.values,
                           options.clip_gradient ? inside : torch::ones_like(inside));
}

}  // namespace

FakeQuantised examine_weight(const torch::Tensor& weight, const FakeQuantOptions& options) {
  check_weight(weight, options);
  const torch::NoGradGuard no_grad;
  const torch::Tensor groups = weight.detach().unflatten(1, {-1, options.group});
  const torch::Tensor largest =
      at::maximum(groups.amin(-1, /*keepdim=*/true).neg(), groups.amax(-1, /*keepdim=*/true));
  const torch::Tensor scales = (largest / number_like(largest, fake_quant::kWeightRange))
                                   .clamp_min(weight_floor(weight, options))
                                   .to(torch::kFloat32);
  FakeQuantised result = examined(groups, scales, torch::zeros_like(scales), fake_quant::kWeightMin,
                                  fake_quant::kWeightMax);
  for (torch::Tensor* tensor : {&result.values, &result.codes, &result.scales, &result.inside})
    *tensor = tensor->flatten(1);
  result.zero_points.reset();
  return result;
}

FakeQuantised examine_tokens(const torch::Tensor& x) {
  check_type(x);
  const torch::NoGradGuard no_grad;
  const torch::Tensor rows = x.detach();
  const torch::Tensor least = rows.amin(-1, /*keepdim=*/true).clamp_max_(0),
                      most = rows.amax(-1, /*keepdim=*/true).clamp_min_(0);
  const torch::Tensor scale = ((most - least) / number_like(rows, fake_quant::kTokenRange))
                                  .clamp_min_(fake_quant::kFp32Epsilon);
  const torch::Tensor zero_point = (fake_quant::kTokenMin - (least / scale).round())
                                       .clamp_(fake_quant::kTokenMin, fake_quant::kTokenMax);
  return examined(rows, scale.to(torch::kFloat32), zero_point.to(torch::kFloat32),
                  fake_quant::kTokenMin, fake_quant::kTokenMax);
}

torch::Tensor fake_quantise_weight(const torch::Tensor& weight, const FakeQuantOptions& options) {
  check_weight(weight, options);
  if (!weight.is_cpu()) {
    return device_kernels::fake_quantise_weight(weight, options.group,
                                                weight_floor(weight, options));
  }
  const torch::Tensor source = weight.detach().contiguous();
  torch::Tensor values = torch::empty_like(source);
  const float floor = weight_floor(weight, options);
  for_rows(source, options.group, [&](auto element, std::int64_t first, std::int64_t count) {
    using T = decltype(element);
    const std::int64_t skip = first * options.group;
    fake_quant::weights(source.const_data_ptr<T>() + skip, count, options.group, floor,
                        values.mutable_data_ptr<T>() + skip);
  });
  return values;
}

torch::Tensor fake_quantise_tokens(const torch::Tensor& x) {
  check_type(x);
  if (!x.is_cpu()) return device_kernels::fake_quantise_tokens(x);
  const torch::Tensor source = x.detach().contiguous();
  torch::Tensor values = torch::empty_like(source);
  const std::int64_t width = x.size(-1);
  for_rows(source, width, [&](auto element, std::int64_t first, std::int64_t count) {
    using T = decltype(element);
    fake_quant::tokens(source.const_data_ptr<T>() + first * width, count, width,
                       values.mutable_data_ptr<T>() + first * width);
  });
  return values;
}

torch::Tensor fake_quant_linear(const torch::Tensor& x, const torch::Tensor& weight,
                                const FakeQuantOptions& options) {
  return FakeQuantLinear::apply(x, weight, options);
}

torch::Tensor fake_quant_linear_by_operators(const torch::Tensor& x, const torch::Tensor& weight,
                                             const FakeQuantOptions& options) {
  const torch::Tensor tokens = pass_inside(x, examine_tokens(x), options);
  return torch_support::linear(tokens,
                               pass_inside(weight, examine_weight(weight, options), options));
}

torch::Tensor straight_through_tokens(const torch::Tensor& x, const FakeQuantOptions& options) {
  return StraightThroughTokens::apply(x, options.clip_gradient);
}

torch::Tensor straight_through_weight(const torch::Tensor& weight,
                                      const FakeQuantOptions& options) {
  return StraightThroughWeight::apply(weight, options);
}

}  // namespace scalemark::llm
