// SPDX-License-Identifier: Apache-2.0
// Number formats of training.
#include "common/torch/precision.hpp"

#include <algorithm>
#include <array>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::torch_support {
namespace {

const std::vector<Precision>& all() {
  static const std::vector<Precision> formats = {
      {.name = "fp64", .parameters = at::kDouble, .compute = {}},
      {.name = "fp32", .compute = {}},
      {.name = "tf32", .compute = {}, .tf32 = true},
      {.name = "bf16", .compute = at::kBFloat16},
      {.name = "fp16", .compute = at::kHalf, .scales_loss = true}};
  return formats;
}

}  // namespace

std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (const Precision& one : all()) names.push_back(one.name);
  return names;
}

Precision precision(const std::string& name) {
  const auto found = std::ranges::find(all(), name, &Precision::name);
  if (found == all().end()) throw Error(fmt::format("no number format '{}'", name));
  return *found;
}

c10::ScalarType storage_type(const std::string& name) {
  const Precision format = precision(name);
  return format.compute.value_or(format.parameters);
}

std::string why_not(const Precision& precision, c10::Device device) {
  if (precision.tf32 && !device.is_cuda()) return "tf32 is a format of NVIDIA GPUs";
  if (!precision.compute) return "";
  try {
    const auto options = at::TensorOptions().device(device).dtype(precision.parameters);
    const at::Tensor x = at::ones({2, 8, 8, 8}, options);
    const at::Tensor full = at::ones({8, 8, 3, 3}, options).requires_grad_();
    const at::Tensor depthwise = at::ones({8, 1, 3, 3}, options).requires_grad_();
    const Autocast autocast(precision, device);
    const std::array<std::int64_t, 2> one{1, 1}, none{0, 0};
    const at::Tensor y = at::conv2d(at::conv2d(x, full), depthwise, {}, one, none, one, 8);
    y.to(at::kFloat).mean().backward();
    return "";
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    return fmt::format("LibTorch cannot train in {} on this device: {}", precision.name,
                       text.substr(0, text.find('\n')));
  }
}

void allow_tf32(bool allowed) {
  at::globalContext().setAllowTF32CuBLAS(allowed);
  at::globalContext().setAllowTF32CuDNN(allowed);
}

Autocast::Autocast(const Precision& precision, c10::Device device) {
  if (!precision.compute) return;
  device_ = device.type();
  before_ = at::autocast::is_autocast_enabled(*device_);
  type_before_ = at::autocast::get_autocast_dtype(*device_);
  at::autocast::set_autocast_enabled(*device_, true);
  at::autocast::set_autocast_dtype(*device_, *precision.compute);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!device_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_dtype(*device_, type_before_);
  at::autocast::set_autocast_enabled(*device_, before_);
}

}  // namespace scalemark::torch_support
