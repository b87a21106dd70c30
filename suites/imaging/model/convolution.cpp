// SPDX-License-Identifier: Apache-2.0
// A convolution layer with LibTorch.
#include "suites/imaging/model/convolution.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <fmt/format.h>

#include "common/golden/fill.hpp"
#include "common/torch/precision.hpp"
#include "suites/imaging/model/convolution_check.hpp"

namespace scalemark::imaging {
namespace {

template <typename T>
void fill_symmetric(at::Tensor& values, std::uint64_t stream) {
  auto* data = values.mutable_data_ptr<T>();
  for (std::int64_t i = 0; i < values.numel(); ++i)
    data[i] = static_cast<T>(golden::sym(1, stream, static_cast<std::uint64_t>(i)));
}

at::Tensor filled(const std::vector<std::int64_t>& sizes, std::uint64_t stream,
                  const ConvolutionOptions& options) {
  const c10::ScalarType type = torch_support::storage_type(options.precision);
  at::Tensor values = at::empty(sizes, type == at::kDouble ? at::kDouble : at::kFloat);
  if (type == at::kDouble) {
    fill_symmetric<double>(values, stream);
  } else {
    fill_symmetric<float>(values, stream);
  }
  // fp16 and TF32 have the same ten fraction bits, so rounding to fp16 gives TF32 values.
  if (options.precision == "tf32") values = values.to(at::kHalf).to(at::kFloat);
  return values.to(options.device, type)
      .contiguous(options.nhwc ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
}

}  // namespace

ConvolutionLayer::ConvolutionLayer(const Convolution& shape, const ConvolutionOptions& options)
    : shape_(shape), options_(options), padding_((shape.kernel - 1) / 2) {
  input_ = filled({options.batch, shape.in, shape.size, shape.size}, 1, options);
  weight_ = filled({shape.out, shape.in / shape.groups, shape.kernel, shape.kernel}, 2, options);
  output_gradient_ =
      filled({options.batch, shape.out, shape.out_size(), shape.out_size()}, 3, options);
}

void ConvolutionLayer::run(torch_support::Passes passes) {
  const std::array<std::int64_t, 2> stride{shape_.stride, shape_.stride},
      padding{padding_, padding_}, dilation{1, 1}, none{0, 0};
  output.reset();
  input_gradient.reset();
  weight_gradient.reset();
  if (passes.forward)
    output =
        at::convolution(input_, weight_, {}, stride, padding, dilation, false, none, shape_.groups);
  if (passes.backward)
    std::tie(input_gradient, weight_gradient, std::ignore) =
        at::convolution_backward(output_gradient_, input_, weight_, c10::nullopt, stride, padding,
                                 dilation, false, none, shape_.groups, {true, true, false});
}

Case::Checked ConvolutionLayer::check(torch_support::Passes passes) const {
  const ConvolutionReference reference{.input = input_.cpu(),
                                       .weight = weight_.cpu(),
                                       .output_gradient = output_gradient_.cpu(),
                                       .stride = shape_.stride,
                                       .padding = padding_,
                                       .groups = shape_.groups};
  const ConvolutionTolerance tolerance = convolution_tolerance(options_.precision, options_.batch);
  Case::Checked all;
  const auto add = [&](ConvolutionResult which, const at::Tensor& result) {
    all += check_convolution(reference, which, result, tolerance);
  };
  if (passes.forward) add(ConvolutionResult::output, output);
  if (passes.backward) {
    add(ConvolutionResult::input_gradient, input_gradient);
    add(ConvolutionResult::weight_gradient, weight_gradient);
  }
  return all;
}

double ConvolutionLayer::flops(torch_support::Passes passes) const {
  // Forward one product, backward two.
  return 2 * passes.sum(1, 2) * shape_.multiply_adds() * static_cast<double>(options_.batch);
}

double ConvolutionLayer::bytes(torch_support::Passes passes) const {
  const auto once =
      static_cast<double>(input_.nbytes() + weight_.nbytes() + output_gradient_.nbytes());
  return once * passes.sum(1, 2);
}

std::string why_not(const Convolution& shape, const ConvolutionOptions& options,
                    torch_support::Passes passes) {
  constexpr std::int64_t kSmall = 8;
  if (options.precision == "tf32" && !options.device.is_cuda())
    return "tf32 is a format of NVIDIA GPUs";
  Convolution small = shape;
  small.size = std::min(shape.size, kSmall);
  ConvolutionOptions few = options;
  few.batch = std::min<std::int64_t>(options.batch, 2);
  try {
    ConvolutionLayer(small, few).run(passes);
    return "";
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    return fmt::format("LibTorch cannot compute this convolution in {} on this device: {}",
                       options.precision, text.substr(0, text.find('\n')));
  }
}

Autotune::Autotune(bool on) : before_(at::globalContext().benchmarkCuDNN()) {
  at::globalContext().setBenchmarkCuDNN(on);
}

Autotune::~Autotune() { at::globalContext().setBenchmarkCuDNN(before_); }

}  // namespace scalemark::imaging
