// SPDX-License-Identifier: Apache-2.0
// What MobileNetV2 has behind its last convolution, as a training calls it.
#include <torch/types.h>

#include "common/core/benchmark.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"
#include "suites/imaging/train/step.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

/// Height and width of the images behind the last convolution.
std::int64_t last_size(const Point& p) {
  return imaging::convolutions(p.integer("image")).back().out_size();
}

/// Elements behind the last convolution. All else is small.
double classifier_elements(const Point& p) {
  const std::int64_t pixels = p.integer("batch") * last_size(p) * last_size(p);
  return static_cast<double>(pixels * imaging::kHeadChannels);
}

OperationWork classifier_work(const Point& p) {
  return {.bytes = element_bytes(p.text("precision")) *
                   operation_bytes(classifier_elements(p), 0, 0, passes_of(p))};
}

/// Mean over the pixels, a logit for each class, mean cross-entropy; a training also counts the
/// right answers.
Operation classifier_operation(Case& c, const at::TensorOptions& options) {
  const std::int64_t batch = c.integer("batch"), size = last_size(c.result().params);
  at::Tensor x = torch::rand({batch, imaging::kHeadChannels, size, size}, options);
  if (c.text("layout") == "nhwc") x = x.contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor weight = torch::randn({imaging::kClasses, imaging::kHeadChannels}, options) / 10,
                   labels = torch::randint(imaging::kClasses, {batch}, options.dtype(at::kLong)),
                   bias = torch::randn({imaging::kClasses}, options);
  const auto forward = [](const Tensors& in) {
    const at::Tensor logits =
        at::linear(at::adaptive_avg_pool2d(in[0], {1, 1}).flatten(1), in[1], in[2]);
    imaging::count_right(logits.detach(), in[3]);
    return imaging::mean_loss(logits, in[3]).to(in[0].scalar_type());  // as exact as its logits
  };
  const auto formula = [](const Tensors& in, const at::Tensor&) {
    const at::Tensor logits = in[0].mean({2, 3}).matmul(in[1].t()) + in[2];
    return (logits.logsumexp(1) - logits.gather(1, in[3].unsqueeze(1)).squeeze(1)).mean();
  };
  return {.inputs = {x.requires_grad_(), weight.requires_grad_(), bias.requires_grad_(), labels},
          .forward = forward,
          .formula = formula};
}

void classifier(Case& c) { run_operation(c, classifier_operation, classifier_work); }

SCALEMARK_BENCHMARK("micro/classifier", classifier)
    .doc("Pooling, classifier and loss of MobileNetV2, with their gradients or not")
    .axis("layout", {.values = {"nchw", "nhwc"}})
    .axis_integer("image", {.minimum = 28, .maximum = 1024, .defaults = "100"})
    .axis_integer("batch", {.minimum = 1, .maximum = 4096, .defaults = "16"})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"}, .defaults = {"fp32"}})
    .with(operation_axes)
    .operation_work(classifier_work)
    .memory([](const Point& p) {
      return operation_memory(classifier_elements(p), p.text("precision"));
    });

}  // namespace
}  // namespace scalemark::micro
