// SPDX-License-Identifier: Apache-2.0
// Autograd function of norm_relu6(), parallel over blocks of rows.
#include "suites/imaging/model/norm_relu6.hpp"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "suites/imaging/model/norm_relu6_rows.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kBlock = 256;  ///< rows per block, summed in the values' type

/// A channels-last tensor as a matrix: one row of channels per pixel.
struct Rows {
  std::int64_t count, channels;
  explicit Rows(const at::Tensor& x) : count(x.numel() / x.size(1)), channels(x.size(1)) {}
  std::int64_t blocks() const { return (count + kBlock - 1) / kBlock; }
};

/// Calls use(first row, rows, block) for all blocks on LibTorch's threads.
template <typename Use>
void for_each_block(const Rows& rows, Use use) {
  at::parallel_for(0, rows.blocks(), 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t block = from; block < to; ++block) {
      const std::int64_t first = block * kBlock;
      use(first, std::min(kBlock, rows.count - first), block);
    }
  });
}

/// Two sums per channel: in type T within a block, then in double over the blocks in order. The
/// result does not depend on the number of threads.
template <typename T, typename AddBlock>
std::pair<std::vector<double>, std::vector<double>> sum_rows(const Rows& rows, AddBlock add_block) {
  const auto channels = static_cast<std::size_t>(rows.channels);
  std::vector<T> partial(static_cast<std::size_t>(rows.blocks()) * 2 * channels);
  for_each_block(rows, [&](std::int64_t first, std::int64_t count, std::int64_t block) {
    T* sums = partial.data() + static_cast<std::size_t>(block) * 2 * channels;
    add_block(first, count, sums, sums + channels);
  });
  std::vector<double> a(channels), b(channels);
  for (std::size_t at = 0; at < partial.size(); at += 2 * channels) {
    for (std::size_t c = 0; c < channels; ++c) {
      a[c] += static_cast<double>(partial[at + c]);
      b[c] += static_cast<double>(partial[at + channels + c]);
    }
  }
  return {a, b};
}

template <typename T>
struct Kernel {
  /// Computes y, and mean, variance, scale and shift of each channel.
  static void forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      double eps, at::Tensor& y, at::Tensor& mean, at::Tensor& variance,
                      at::Tensor& scale, at::Tensor& shift) {
    const Rows rows(x);
    const std::int64_t channels = rows.channels;
    const T* in = x.const_data_ptr<T>();
    T* out = y.mutable_data_ptr<T>();
    // Moments around the first pixel's values: squares of numbers far from 0 would cancel.
    const auto [sums, squares] =
        sum_rows<T>(rows, [&](std::int64_t first, std::int64_t count, T* sum, T* square) {
          norm_rows::add_moments(in + first * channels, count, channels, in, sum, square);
        });
    const auto n = static_cast<double>(rows.count);
    auto* means = mean.mutable_data_ptr<double>();
    auto* variances = variance.mutable_data_ptr<double>();
    auto* scales = scale.mutable_data_ptr<T>();
    auto* shifts = shift.mutable_data_ptr<T>();
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const double around = sums[i] / n;
      means[c] = static_cast<double>(in[c]) + around;
      variances[c] = std::max(0.0, squares[i] / n - around * around);
      const double s =
          static_cast<double>(weight.const_data_ptr<T>()[c]) / std::sqrt(variances[c] + eps);
      scales[c] = static_cast<T>(s);
      shifts[c] = static_cast<T>(static_cast<double>(bias.const_data_ptr<T>()[c]) - means[c] * s);
    }
    for_each_block(rows, [&](std::int64_t first, std::int64_t count, std::int64_t) {
      norm_rows::apply(in + first * channels, count, channels, scales, shifts,
                       out + first * channels);
    });
  }

  /// Computes the gradients of x, weight and bias.
  static void backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& mean,
                       const at::Tensor& variance, const at::Tensor& scale, const at::Tensor& shift,
                       double eps, at::Tensor& dx, at::Tensor& dweight, at::Tensor& dbias) {
    const Rows rows(x);
    const std::int64_t channels = rows.channels;
    const T* in = x.const_data_ptr<T>();
    const T* gradient = dy.const_data_ptr<T>();
    T* out = dx.mutable_data_ptr<T>();
    const T* scales = scale.const_data_ptr<T>();
    const T* shifts = shift.const_data_ptr<T>();
    const auto* means = mean.const_data_ptr<double>();
    const auto* variances = variance.const_data_ptr<double>();
    const auto count_of = static_cast<std::size_t>(channels);
    std::vector<T> centre(count_of), offset(count_of), slope(count_of);
    std::copy(means, means + channels, centre.begin());
    const auto [sums, products] =
        sum_rows<T>(rows, [&](std::int64_t first, std::int64_t count, T* sum, T* product) {
          norm_rows::add_gradients(in + first * channels, gradient + first * channels, count,
                                   channels, scales, shifts, centre.data(), sum, product);
        });
    const auto n = static_cast<double>(rows.count);
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const double inverse = 1 / std::sqrt(variances[c] + eps);
      dbias.mutable_data_ptr<T>()[c] = static_cast<T>(sums[i]);
      dweight.mutable_data_ptr<T>()[c] = static_cast<T>(products[i] * inverse);
      // dx = scale * (g - sum(g)/n - (x - mean) * sum(g (x - mean)) / (n (var + eps)))
      const double factor = products[i] * inverse * inverse / n;
      slope[i] = static_cast<T>(factor);
      offset[i] = static_cast<T>(sums[i] / n);
    }
    for_each_block(rows, [&](std::int64_t first, std::int64_t count, std::int64_t) {
      norm_rows::give_gradients(in + first * channels, gradient + first * channels, count, channels,
                                scales, shifts, centre.data(), offset.data(), slope.data(),
                                out + first * channels);
    });
  }
};

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct NormRelu6 : torch::autograd::Function<NormRelu6> {
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight,
                          const Variable& bias, const at::Tensor& running_mean,
                          const at::Tensor& running_var, double momentum, double eps) {
    const at::TensorOptions channels = weight.options().requires_grad(false);
    at::Tensor y = at::empty_like(x), mean = at::empty_like(weight, channels.dtype(at::kDouble));
    at::Tensor variance = at::empty_like(mean), scale = at::empty_like(weight, channels),
               shift = at::empty_like(scale);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "norm_relu6", [&] {
      Kernel<scalar_t>::forward(x, weight, bias, eps, y, mean, variance, scale, shift);
    });
    const auto n = static_cast<double>(Rows(x).count);
    at::Tensor kept_mean = running_mean, kept_var = running_var;
    kept_mean.lerp_(mean.to(kept_mean.scalar_type()), momentum);
    kept_var.lerp_((variance * (n / (n - 1))).to(kept_var.scalar_type()), momentum);
    context->save_for_backward({x, mean, variance, scale, shift});
    context->saved_data["eps"] = eps;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor dy = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    at::Tensor dx = at::empty_like(x), dweight = at::empty_like(saved[3]),
               dbias = at::empty_like(saved[3]);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "norm_relu6_backward", [&] {
      Kernel<scalar_t>::backward(dy, x, saved[1], saved[2], saved[3], saved[4],
                                 context->saved_data["eps"].toDouble(), dx, dweight, dbias);
    });
    return {dx, dweight, dbias, {}, {}, {}, {}};
  }
};

}  // namespace

bool can_fuse_norm_relu6(const at::Tensor& x) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble) &&
         x.dim() == 4 && x.is_contiguous(at::MemoryFormat::ChannelsLast) && x.numel() > x.size(1);
}

at::Tensor norm_relu6(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      const at::Tensor& running_mean, const at::Tensor& running_var,
                      double momentum, double eps) {
  return NormRelu6::apply(x, weight, bias, running_mean, running_var, momentum, eps);
}

}  // namespace scalemark::imaging
