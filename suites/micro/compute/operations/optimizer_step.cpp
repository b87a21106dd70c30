// SPDX-License-Identifier: Apache-2.0
// Steps of optimisers, checked against their formulas.
#include "suites/micro/compute/operations/optimizer_step.hpp"

#include <cmath>

#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "suites/imaging/train/sgd.hpp"
#include "suites/llm/optim/adamw.hpp"
#include "suites/llm/optim/gradient_norm.hpp"

namespace scalemark::micro {
namespace {

constexpr double kRate = 1e-3, kDecay = 0.01, kAdamEps = 1e-8, kSgdMomentum = 0.9;

/// Parameters with their gradients, which stay the same in all steps.
Tensors make_parameters(std::int64_t elements, std::int64_t count,
                        const at::TensorOptions& options) {
  Tensors parameters;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = elements / count + (i < elements % count ? 1 : 0);
    parameters.push_back(torch::randn({size}, options).requires_grad_());
    parameters.back().mutable_grad() = torch::randn({size}, options);
  }
  return parameters;
}

std::function<void()> make_step(const std::string& kind, const Tensors& parameters) {
  if (kind == "adamw") {
    const auto fused = std::make_shared<llm::AdamW>(
        parameters,
        llm::AdamWOptions{.learning_rate = kRate, .eps = kAdamEps, .weight_decay = kDecay});
    return [fused] { fused->step(); };
  }
  const auto sgd = torch::optim::SGDOptions(kRate).momentum(kSgdMomentum);
  std::shared_ptr<torch::optim::Optimizer> other;
  if (kind == "sgd") {
    other = std::make_shared<imaging::Sgd>(parameters, sgd);
  } else if (kind == "sgd_loop") {
    other = std::make_shared<torch::optim::SGD>(parameters, sgd);
  } else {
    other = std::make_shared<torch::optim::AdamW>(
        parameters, torch::optim::AdamWOptions(kRate).eps(kAdamEps).weight_decay(kDecay));
  }
  return [other] { other->step(); };
}

/// What step number `number` makes of parameters that always had the gradient `g`. Corrected for
/// their start, AdamW's means of g and of its square are g and g^2.
at::Tensor stepped(const std::string& kind, const at::Tensor& p, const at::Tensor& g, int number) {
  if (kind.starts_with("sgd"))
    return p - kRate * (1 - std::pow(kSgdMomentum, number)) / (1 - kSgdMomentum) * g;
  return p * (1 - kRate * kDecay) - kRate * g / (g.abs() + kAdamEps);
}

double tensors_moved(const std::string& kind) {
  if (kind == "gradient_norm") return 1;
  if (kind == "gradient_scale") return 2;
  return kind.starts_with("sgd") ? 5 : 7;
}

void record_work(Case& c, const Tensors& parameters) {
  c.work({.bytes = optimizer_work(c.result().params).bytes,
          .carrier = parameters[0].is_cpu() ? Carrier::host_memory : Carrier::device_memory});
}

Case::Checked compare_all(const Tensors& got, const Tensors& want) {
  Case::Checked checked;
  for (std::size_t i = 0; i < want.size(); ++i) checked += compare_with_formula(got[i], want[i]);
  return checked;
}

/// The norm of all gradients, as a fine-tuning records it in each step.
void measure_norm(Case& c, const Tensors& parameters) {
  const torch::NoGradGuard no_grad;
  c.verify("norm against that of the squares' sum in fp64, within 256 unit roundoffs", [&] {
    at::Tensor squares = torch::zeros({}, parameters[0].options().dtype(at::kDouble));
    for (const at::Tensor& p : parameters) squares += p.grad().to(at::kDouble).square().sum();
    return compare_with_formula(llm::gradient_norm(parameters).view({1}), squares.sqrt().view({1}));
  });
  record_work(c, parameters);
  time_torch_work(c, [&] { llm::gradient_norm(parameters); });
}

/// All gradients times a number on the device, one after the other, as a fine-tuning divides them
/// by the tokens of all ranks.
void measure_scaling(Case& c, const Tensors& parameters) {
  const torch::NoGradGuard no_grad;
  const at::Tensor factor = torch::ones({}, parameters[0].options().dtype(at::kDouble));
  const auto scale = [&] {
    for (const at::Tensor& p : parameters) p.mutable_grad().mul_(factor);
  };
  c.verify("gradients times 0.5 against half of what they were, within 256 unit roundoffs", [&] {
    Tensors want, got;
    for (const at::Tensor& p : parameters) want.push_back(p.grad().to(at::kDouble) / 2);
    factor.fill_(0.5);
    scale();
    factor.fill_(1);
    for (const at::Tensor& p : parameters) got.push_back(p.grad());
    return compare_all(got, want);
  });
  record_work(c, parameters);
  time_torch_work(c, scale);
}

void measure_step(Case& c, const Tensors& parameters) {
  const std::string& kind = c.text("kind");
  const std::function<void()> step = make_step(kind, parameters);
  int steps = 0;
  const auto count_step = [&] {
    step();
    ++steps;
  };
  c.verify(
      "parameters after one more step against the formula in fp64: each element within 256 "
      "unit roundoffs of itself and of the root mean square",
      [&] {
        const torch::NoGradGuard no_grad;
        Tensors want;
        for (const at::Tensor& p : parameters)
          want.push_back(stepped(kind, p.to(at::kDouble), p.grad().to(at::kDouble), steps + 1));
        count_step();
        return compare_all(parameters, want);
      });
  record_work(c, parameters);
  time_torch_work(c, count_step);
}

}  // namespace

OperationWork optimizer_work(const Point& p) {
  return {.bytes = tensors_moved(p.text("kind")) * static_cast<double>(p.integer("parameters")) *
                   element_bytes(p.text("precision"))};
}

void measure_optimizer(Case& c, const at::TensorOptions& options) {
  const Tensors parameters =
      make_parameters(c.integer("parameters"), c.integer("tensors"), options);
  const std::string& kind = c.text("kind");
  if (kind == "gradient_norm")
    measure_norm(c, parameters);
  else if (kind == "gradient_scale")
    measure_scaling(c, parameters);
  else
    measure_step(c, parameters);
  c.recorder().set_primary("bandwidth");
}

}  // namespace scalemark::micro
