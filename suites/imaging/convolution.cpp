// SPDX-License-Identifier: Apache-2.0
// A convolution on LibTorch, and loops that say what it should give.
#include "suites/imaging/convolution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include <ATen/ATen.h>

#include "common/golden/fill.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kChecked = 64;
constexpr double kTolerance = 1e-5;

at::Tensor filled(const std::vector<std::int64_t>& sizes, std::uint64_t stream,
                  at::MemoryFormat format, c10::Device device) {
  at::Tensor values = at::empty(sizes, at::kFloat);
  auto* data = values.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    data[i] = static_cast<float>(golden::sym(1, stream, static_cast<std::uint64_t>(i)));
  }
  return values.to(device).contiguous(format);
}

/// A sum of products in double with the size of its terms.
struct Sum {
  double value = 0, size = 0;
  void add(double a, double b) {
    value += a * b;
    size += std::abs(a * b);
  }
};

/// Host copies for element access, and the geometry: in = out * stride + k - padding.
struct Reference {
  at::Tensor x, w, dy;
  std::int64_t stride, padding, group_in, group_out;

  /// Visits every k for which `out` comes from an input place, or every `out` that uses input place
  /// `in`.
  Sum output(std::int64_t n, std::int64_t o, std::int64_t row, std::int64_t column) const {
    const auto xs = x.accessor<float, 4>();
    const auto ws = w.accessor<float, 4>();
    Sum sum;
    for (std::int64_t i = 0; i < group_in; ++i) {
      for (std::int64_t a = 0; a < w.size(2); ++a) {
        for (std::int64_t b = 0; b < w.size(3); ++b) {
          const std::int64_t r = row * stride + a - padding, s = column * stride + b - padding;
          if (r < 0 || s < 0 || r >= x.size(2) || s >= x.size(3)) continue;
          sum.add(xs[n][o / group_out * group_in + i][r][s], ws[o][i][a][b]);
        }
      }
    }
    return sum;
  }

  Sum weight_gradient(std::int64_t o, std::int64_t i, std::int64_t a, std::int64_t b) const {
    const auto xs = x.accessor<float, 4>();
    const auto dys = dy.accessor<float, 4>();
    Sum sum;
    for (std::int64_t n = 0; n < dy.size(0); ++n) {
      for (std::int64_t row = 0; row < dy.size(2); ++row) {
        for (std::int64_t column = 0; column < dy.size(3); ++column) {
          const std::int64_t r = row * stride + a - padding, s = column * stride + b - padding;
          if (r < 0 || s < 0 || r >= x.size(2) || s >= x.size(3)) continue;
          sum.add(xs[n][o / group_out * group_in + i][r][s], dys[n][o][row][column]);
        }
      }
    }
    return sum;
  }

  Sum input_gradient(std::int64_t n, std::int64_t channel, std::int64_t r, std::int64_t s) const {
    const auto ws = w.accessor<float, 4>();
    const auto dys = dy.accessor<float, 4>();
    const std::int64_t group = channel / group_in;
    Sum sum;
    for (std::int64_t o = group * group_out; o < (group + 1) * group_out; ++o) {
      for (std::int64_t a = 0; a < w.size(2); ++a) {
        for (std::int64_t b = 0; b < w.size(3); ++b) {
          const std::int64_t row = r - a + padding, column = s - b + padding;
          if (row % stride != 0 || column % stride != 0 || row < 0 || column < 0) continue;
          if (row / stride >= dy.size(2) || column / stride >= dy.size(3)) continue;
          sum.add(ws[o][channel % group_in][a][b], dys[n][o][row / stride][column / stride]);
        }
      }
    }
    return sum;
  }
};

/// Compares `got` with `want(place)` at kChecked places spread over the tensor.
template <typename Want>
Case::Checked compare(const at::Tensor& tensor, Want want) {
  const at::Tensor got = tensor.cpu();
  const auto values = got.accessor<float, 4>();
  Case::Checked checked;
  const std::int64_t places = std::min(kChecked, got.numel());
  for (std::int64_t i = 0; i < places; ++i) {
    // A fixed word for each place: corners and middles alike.
    auto at = static_cast<std::int64_t>(golden::word(2, 0, static_cast<std::uint64_t>(i)) %
                                        static_cast<std::uint64_t>(got.numel()));
    std::array<std::int64_t, 4> p{};
    for (std::int64_t d = 3; d >= 0; --d) {
      p[static_cast<std::size_t>(d)] = at % got.size(d);
      at /= got.size(d);
    }
    const Sum sum = want(p[0], p[1], p[2], p[3]);
    const double error = std::abs(static_cast<double>(values[p[0]][p[1]][p[2]][p[3]]) - sum.value);
    ++checked.checked;
    if (!(error <= kTolerance * sum.size)) ++checked.wrong;
  }
  return checked;
}

}  // namespace

ConvolutionLayer::ConvolutionLayer(const Convolution& shape, std::int64_t batch, bool nhwc,
                                   c10::Device device)
    : shape_(shape), batch_(batch), padding_((shape.kernel - 1) / 2) {
  const auto format = nhwc ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  input_ = filled({batch, shape.in, shape.size, shape.size}, 1, format, device);
  weight_ =
      filled({shape.out, shape.in / shape.groups, shape.kernel, shape.kernel}, 2, format, device);
  output_gradient_ =
      filled({batch, shape.out, shape.out_size(), shape.out_size()}, 3, format, device);
}

void ConvolutionLayer::run(bool train) {
  const std::array<std::int64_t, 2> stride{shape_.stride, shape_.stride},
      padding{padding_, padding_}, dilation{1, 1}, none{0, 0};
  output =
      at::convolution(input_, weight_, {}, stride, padding, dilation, false, none, shape_.groups);
  if (!train) return;
  std::tie(input_gradient, weight_gradient, std::ignore) =
      at::convolution_backward(output_gradient_, input_, weight_, c10::nullopt, stride, padding,
                               dilation, false, none, shape_.groups, {true, true, false});
}

Case::Checked ConvolutionLayer::check(bool train) const {
  const Reference reference{input_.cpu(),
                            weight_.cpu(),
                            output_gradient_.cpu(),
                            shape_.stride,
                            padding_,
                            shape_.in / shape_.groups,
                            shape_.out / shape_.groups};
  Case::Checked all = compare(output, [&](auto... at) { return reference.output(at...); });
  const auto add = [&](const Case::Checked& part) {
    all.checked += part.checked;
    all.wrong += part.wrong;
  };
  if (train) {
    add(compare(input_gradient, [&](auto... at) { return reference.input_gradient(at...); }));
    add(compare(weight_gradient, [&](auto... at) { return reference.weight_gradient(at...); }));
  }
  return all;
}

double ConvolutionLayer::flops(bool train) const {
  return (train ? 6 : 2) * shape_.multiply_adds() * static_cast<double>(batch_);
}

double ConvolutionLayer::bytes(bool train) const {
  const auto once =
      static_cast<double>(input_.numel() + weight_.numel() + output_gradient_.numel()) *
      sizeof(float);
  return train ? 3 * once : once;
}

}  // namespace scalemark::imaging
