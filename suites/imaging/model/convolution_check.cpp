// SPDX-License-Identifier: Apache-2.0
// Reference results of a convolution, computed by loops in double.
#include "suites/imaging/model/convolution_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

#include "common/base/error.hpp"
#include "common/golden/fill.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kChecked = 64;

using Place = std::array<std::int64_t, 4>;

/// Reference sums for tensors of element type T.
template <typename T>
class Loops {
 public:
  explicit Loops(const ConvolutionReference& of)
      : x_(of.input.accessor<T, 4>()),
        w_(of.weight.accessor<T, 4>()),
        dy_(of.output_gradient.accessor<T, 4>()),
        stride_(of.stride),
        padding_(of.padding),
        group_in_(of.weight.size(1)),
        group_out_(of.weight.size(0) / of.groups) {}

  ProductSum operator()(ConvolutionResult which, const Place& p) const {
    if (which == ConvolutionResult::output) return output(p[0], p[1], p[2], p[3]);
    return which == ConvolutionResult::input_gradient ? input_gradient(p[0], p[1], p[2], p[3])
                                                      : weight_gradient(p[0], p[1], p[2], p[3]);
  }

 private:
  bool is_inside(std::int64_t row, std::int64_t column) const {
    return row >= 0 && column >= 0 && row < x_.size(2) && column < x_.size(3);
  }

  /// Sums over all input channels and kernel positions whose input lies inside the image.
  ProductSum output(std::int64_t n, std::int64_t o, std::int64_t row, std::int64_t column) const {
    ProductSum sum;
    for (std::int64_t i = 0; i < group_in_; ++i) {
      for (std::int64_t a = 0; a < w_.size(2); ++a) {
        for (std::int64_t b = 0; b < w_.size(3); ++b) {
          const std::int64_t r = row * stride_ + a - padding_, s = column * stride_ + b - padding_;
          if (!is_inside(r, s)) continue;
          add(sum, x_[n][o / group_out_ * group_in_ + i][r][s], w_[o][i][a][b]);
        }
      }
    }
    return sum;
  }

  /// Sums over all outputs to which the weight contributes.
  ProductSum weight_gradient(std::int64_t o, std::int64_t i, std::int64_t a, std::int64_t b) const {
    ProductSum sum;
    for (std::int64_t n = 0; n < dy_.size(0); ++n) {
      for (std::int64_t row = 0; row < dy_.size(2); ++row) {
        for (std::int64_t column = 0; column < dy_.size(3); ++column) {
          const std::int64_t r = row * stride_ + a - padding_, s = column * stride_ + b - padding_;
          if (!is_inside(r, s)) continue;
          add(sum, x_[n][o / group_out_ * group_in_ + i][r][s], dy_[n][o][row][column]);
        }
      }
    }
    return sum;
  }

  /// Sums over all outputs that read this input.
  ProductSum input_gradient(std::int64_t n, std::int64_t channel, std::int64_t r,
                            std::int64_t s) const {
    const std::int64_t group = channel / group_in_;
    ProductSum sum;
    for (std::int64_t o = group * group_out_; o < (group + 1) * group_out_; ++o) {
      for (std::int64_t a = 0; a < w_.size(2); ++a) {
        for (std::int64_t b = 0; b < w_.size(3); ++b) {
          const std::int64_t row = r - a + padding_, column = s - b + padding_;
          if (row % stride_ != 0 || column % stride_ != 0 || row < 0 || column < 0) continue;
          if (row / stride_ >= dy_.size(2) || column / stride_ >= dy_.size(3)) continue;
          add(sum, w_[o][channel % group_in_][a][b], dy_[n][o][row / stride_][column / stride_]);
        }
      }
    }
    return sum;
  }

  static void add(ProductSum& sum, T a, T b) {
    sum.add(static_cast<double>(a), static_cast<double>(b));
  }

  at::TensorAccessor<T, 4> x_, w_, dy_;
  std::int64_t stride_, padding_, group_in_, group_out_;
};

/// A pseudo-random position with a fixed seed: borders and interior alike.
Place place_in(const at::Tensor& tensor, std::int64_t i) {
  auto at = static_cast<std::int64_t>(golden::word(2, 0, static_cast<std::uint64_t>(i)) %
                                      static_cast<std::uint64_t>(tensor.numel()));
  Place place{};
  for (std::size_t d = 4; d-- > 0;) {
    const std::int64_t size = tensor.size(static_cast<std::int64_t>(d));
    place.at(d) = at % size;
    at /= size;
  }
  return place;
}

}  // namespace

void ProductSum::add(double a, double b) {
  value += a * b;
  size += std::abs(a * b);
  squares += a * b * a * b;
}

bool ConvolutionTolerance::holds(double result, const ProductSum& sum) const {
  // Written so that NaN fails.
  return std::abs(result - sum.value) <=
         summation * sum.size + rounding * (std::abs(sum.value) + partial * std::sqrt(sum.squares));
}

ConvolutionTolerance convolution_tolerance(const std::string& precision, std::int64_t batch) {
  constexpr double kRoundings = 128, kDeviations = 4;
  constexpr std::int64_t kKernelPlaces = 9;
  if (precision == "fp64") return {.summation = kRoundings * std::ldexp(1.0, -53)};
  const double single = kRoundings * std::ldexp(1.0, -24);
  if (precision == "fp32" || precision == "tf32") return {.summation = single};
  const double partial =
      kDeviations * std::sqrt(static_cast<double>(std::max(batch, kKernelPlaces)));
  if (precision == "bf16") return {single, std::ldexp(1.0, -8), partial};
  if (precision == "fp16") return {single, std::ldexp(1.0, -11), partial};
  throw Error("no precision '" + precision + "'");
}

Case::Checked check_convolution(const ConvolutionReference& reference, ConvolutionResult which,
                                const at::Tensor& result, const ConvolutionTolerance& tolerance) {
  const at::Tensor got = result.cpu();
  Case::Checked checked{static_cast<std::uint64_t>(std::min(kChecked, got.numel())), 0};
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, got.scalar_type(), "check_convolution", [&] {
        const Loops<scalar_t> loops(reference);
        const auto values = got.accessor<scalar_t, 4>();
        for (std::uint64_t i = 0; i < checked.checked; ++i) {
          const Place p = place_in(got, static_cast<std::int64_t>(i));
          const auto value = static_cast<double>(values[p[0]][p[1]][p[2]][p[3]]);
          if (!tolerance.holds(value, loops(which, p))) ++checked.wrong;
        }
      });
  return checked;
}

}  // namespace scalemark::imaging
