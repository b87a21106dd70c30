// SPDX-License-Identifier: Apache-2.0
// Batch and RMS normalisation, and their formulas.
#include "suites/micro/compute/operations/normalization.hpp"

#include <torch/types.h>

#include "suites/imaging/model/norm_relu6.hpp"

namespace scalemark::micro {
namespace {

constexpr double kEps = 1e-5, kMomentum = 0.1;

/// Rows as `images` images of one column each.
at::Tensor random_images(const Point& p, const at::TensorOptions& options) {
  const std::int64_t images = p.integer("images"), pixels = p.integer("rows") / images;
  return torch::randn({images, p.integer("channels"), pixels, 1}, options)
      .contiguous(p.text("layout") == "nhwc" ? at::MemoryFormat::ChannelsLast
                                             : at::MemoryFormat::Contiguous);
}

Operation batch_norm(Case& c, const at::TensorOptions& options) {
  const Point& p = c.result().params;
  const at::Tensor x = random_images(p, options);
  const at::Tensor mean = torch::zeros({x.size(1)}, options), variance = torch::ones_like(mean);
  const bool relu6 = p.text("kind") == "batch_relu6", fused = p.flag("fused");
  if (fused && !imaging::can_fuse_norm_relu6(x))
    c.skip("fused=true is for fp32 and fp64 in layout nhwc on CPUs");
  const auto forward = [=](const Tensors& in) {
    if (fused) return imaging::norm_relu6(in[0], in[1], in[2], mean, variance, kMomentum, kEps);
    at::Tensor y = at::batch_norm(in[0], in[1], in[2], mean, variance, true, kMomentum, kEps, true);
    if (relu6) at::relu6_(y);  // in place, as in the network
    return y;
  };
  const auto formula = [=](const Tensors& in, const at::Tensor& result) {
    const at::Tensor from_mean = in[0] - in[0].mean({0, 2, 3}, /*keepdim=*/true);
    const at::Tensor spread = (from_mean.square().mean({0, 2, 3}, true) + kEps).sqrt();
    const auto each = [](const at::Tensor& of_channel) { return of_channel.view({1, -1, 1, 1}); };
    const at::Tensor y = from_mean / spread * each(in[1]) + each(in[2]);
    const at::Tensor within = (result > 0).logical_and(result < 6);
    return relu6 ? at::where(within, y, y.detach().clamp(0, 6)) : y;
  };
  return {.inputs = {x.requires_grad_(), torch::rand_like(mean).requires_grad_(),
                     torch::rand_like(mean).requires_grad_()},
          .forward = forward,
          .formula = formula,
          .terms = p.integer("rows")};
}

Operation rms_norm(const Point& p, const at::TensorOptions& options) {
  const std::int64_t width = p.integer("channels");
  return {
      .inputs = {torch::randn({p.integer("rows"), width}, options).requires_grad_(),
                 torch::rand({width}, options).requires_grad_()},
      .forward = [width](const Tensors& in) { return at::rms_norm(in[0], {width}, in[1], kEps); },
      .formula =
          [](const Tensors& in, const at::Tensor&) {
            return in[0] / (in[0].square().mean(-1, /*keepdim=*/true) + kEps).sqrt() * in[1];
          },
      .terms = p.integer("rows")};
}

}  // namespace

Operation normalization_operation(Case& c, const at::TensorOptions& options) {
  return c.text("kind") == "rms" ? rms_norm(c.result().params, options) : batch_norm(c, options);
}

OperationWork normalization_work(const Point& p) {
  const auto channels = static_cast<double>(p.integer("channels")),
             values = static_cast<double>(p.integer("rows")) * channels,
             inputs = values + (p.text("kind") == "rms" ? 1 : 2) * channels;
  return {.bytes = element_bytes(p.text("precision")) *
                   operation_bytes(inputs, values, inputs, passes_of(p))};
}

}  // namespace scalemark::micro
