// SPDX-License-Identifier: Apache-2.0
// NF4 by LibTorch's operators, its dequantising loops for CPUs, and its autograd function.
#include "suites/llm/quant/nf4.hpp"

#include <algorithm>
#include <limits>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/torch/products.hpp"
#include "suites/llm/kernels/device_kernels.hpp"
#include "suites/llm/quant/nf4_rows.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kUnit = nf4::kBlock * nf4::kScalerBlock;
/// Elements that are compared with the codebook at a time: several passes over memory in cache on a
/// CPU, few launches on a GPU.
constexpr std::int64_t kCpuChunk = 16 * kUnit, kDeviceChunk = 4096 * kUnit;

torch::Tensor codebook(const torch::TensorOptions& options) {
  return torch::tensor(torch::ArrayRef<double>(nf4::kCodebook.data(), nf4::kCodebook.size()),
                       torch::kFloat64)
      .to(options);
}

void check_weight(const torch::Tensor& weight) {
  const torch::ScalarType type = weight.scalar_type();
  if (type != torch::kFloat64 && type != torch::kFloat32 && type != torch::kBFloat16)
    throw Error(fmt::format("NF4 takes fp64, fp32 and bf16 weights, not {}", toString(type)));
  if (!has_whole_nf4_blocks(weight.numel())) {
    throw Error(fmt::format("NF4 wants a multiple of {} elements; a weight of [{}] has {}", kUnit,
                            fmt::join(weight.sizes(), ", "), weight.numel()));
  }
}

/// Codes of elements that were divided by their scales; each difference is rounded to their type,
/// as the library's are. NaN (0 / 0) is nearer to nothing and stays at code 0.
torch::Tensor nearest_codes(const torch::Tensor& scaled) {
  const torch::Tensor values = codebook(scaled.options());
  torch::Tensor code = torch::zeros(scaled.sizes(), scaled.options().dtype(torch::kUInt8));
  torch::Tensor least =
      torch::full(scaled.sizes(), std::numeric_limits<double>::infinity(), scaled.options());
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    const torch::Tensor distance = (scaled - values[i]).abs_();
    code.masked_fill_(distance < least, i);
    at::minimum_out(least, least, distance);
  }
  return code;
}

torch::Tensor packed_codes(const torch::Tensor& blocks, const torch::Tensor& maxima) {
  const std::int64_t rows = (blocks.is_cpu() ? kCpuChunk : kDeviceChunk) / nf4::kBlock;
  torch::Tensor packed = torch::empty({blocks.numel() / 2}, blocks.options().dtype(torch::kUInt8));
  for (std::int64_t first = 0; first < blocks.size(0); first += rows) {
    const std::int64_t count = std::min(rows, blocks.size(0) - first);
    const torch::Tensor codes =
        nearest_codes(blocks.narrow(0, first, count) / maxima.narrow(0, first, count).unsqueeze(1))
            .view({-1, 2});
    packed.narrow(0, first * nf4::kBlock / 2, count * nf4::kBlock / 2)
        .copy_(codes.select(1, 0) * 16 + codes.select(1, 1));
  }
  return packed;
}

/// Tensors of the sizes of a quantised weight, without values.
Nf4Tensor shapes_of(const torch::Tensor& weight) {
  const std::int64_t elements = weight.numel();
  const auto options = weight.options();
  return {.packed = torch::empty({elements / 2}, options.dtype(torch::kUInt8)),
          .scalers = torch::empty({elements / nf4::kBlock}, options.dtype(torch::kInt8)),
          .factors = torch::empty({elements / kUnit}, options),
          .mean = torch::empty({}, options),
          .codebook = codebook(options),
          .shape = weight.sizes().vec()};
}

template <typename T>
void dequantise_on_cpu(const Nf4Tensor& quantised, torch::Tensor& weight) {
  const auto* const packed = quantised.packed.const_data_ptr<std::uint8_t>();
  const auto* const scalers = quantised.scalers.const_data_ptr<std::int8_t>();
  const T* const factors = quantised.factors.const_data_ptr<T>();
  const T mean = *quantised.mean.const_data_ptr<T>();
  T* const out = weight.mutable_data_ptr<T>();
  at::parallel_for(0, quantised.factors.numel(), 2, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      nf4::dequantise(packed + i * kUnit / 2, scalers + i * nf4::kScalerBlock, factors[i], mean,
                      out + i * kUnit);
    }
  });
}

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

torch::Tensor made(const Nf4Tensor& quantised, bool fused) {
  return fused ? dequantise(quantised) : dequantise_by_operators(quantised);
}

struct Nf4Linear : torch::autograd::Function<Nf4Linear> {
  static Variable forward(AutogradContext* context, const Variable& x, const torch::Tensor& packed,
                          const torch::Tensor& scalers, const torch::Tensor& factors,
                          const torch::Tensor& mean, const torch::Tensor& codebook,
                          const std::vector<std::int64_t>& shape, bool fused) {
    context->save_for_backward({packed, scalers, factors, mean, codebook});
    context->saved_data["shape"] = shape;
    context->saved_data["fused"] = fused;
    return torch_support::linear(x, made({packed, scalers, factors, mean, codebook, shape}, fused));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor weight = made({saved[0], saved[1], saved[2], saved[3], saved[4],
                                       context->saved_data["shape"].toIntVector()},
                                      context->saved_data["fused"].toBool());
    return {torch_support::product(gradients[0], weight), {}, {}, {}, {}, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor nf4_block_maxima(const torch::Tensor& weight) {
  return weight.detach().contiguous().view({-1, nf4::kBlock}).abs().amax(1);
}

bool has_whole_nf4_blocks(std::int64_t elements) { return elements > 0 && elements % kUnit == 0; }

Nf4Tensor quantise_nf4(const torch::Tensor& weight) {
  check_weight(weight);
  const torch::NoGradGuard no_grad;
  if (weight.is_meta()) return shapes_of(weight);
  const torch::Tensor blocks = weight.detach().contiguous().view({-1, nf4::kBlock});
  const torch::Tensor maxima = nf4_block_maxima(weight);
  if (!maxima.isfinite().all().item<bool>())
    throw Error("NF4 takes finite weights; this one holds NaN or infinity");
  const torch::Tensor mean = maxima.mean();
  const torch::Tensor centred = (maxima - mean).view({-1, nf4::kScalerBlock});
  const torch::Tensor factors = 256 / (2 * centred.abs().amax(1));
  // If all scales are equal, the result is 0 * infinity, which must be 0.
  const torch::Tensor scalers =
      (centred * factors.unsqueeze(1)).round().nan_to_num_(0).clamp_(-128, 127);
  return {.packed = packed_codes(blocks, maxima),
          .scalers = scalers.flatten().to(torch::kInt8),
          .factors = factors,
          .mean = mean,
          .codebook = codebook(weight.options()),
          .shape = weight.sizes().vec()};
}

torch::Tensor dequantise_scales(const Nf4Tensor& quantised) {
  const torch::Tensor scalers = quantised.scalers.view({-1, nf4::kScalerBlock});
  return (scalers / quantised.factors.unsqueeze(1)).flatten() + quantised.mean;
}

/// Every intermediate result stays until the end, as in torchao, so that the peak of memory is the
/// same.
torch::Tensor dequantise_by_operators(const Nf4Tensor& quantised) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor first = quantised.packed.bitwise_right_shift(4).to(torch::kLong),
                      second = quantised.packed.bitwise_and(15).to(torch::kLong);
  const torch::Tensor first_values = quantised.codebook.index({first}),
                      second_values = quantised.codebook.index({second});
  const torch::Tensor scales =
      dequantise_scales(quantised).unsqueeze(1).expand({-1, nf4::kBlock / 2});
  const torch::Tensor first_scaled = first_values * scales.flatten(),
                      second_scaled = second_values * scales.flatten();
  return torch::stack({first_scaled, second_scaled}, -1).view(quantised.shape);
}

torch::Tensor dequantise(const Nf4Tensor& quantised) {
  const torch::NoGradGuard no_grad;
  if (!quantised.packed.is_cpu()) return device_kernels::dequantise(quantised);
  torch::Tensor weight = torch::empty(quantised.shape, quantised.factors.options());
  AT_DISPATCH_FLOATING_TYPES_AND(torch::kBFloat16, quantised.type(), "dequantise_nf4",
                                 [&] { dequantise_on_cpu<scalar_t>(quantised, weight); });
  return weight;
}

torch::Tensor nf4_codes(const Nf4Tensor& quantised) {
  return torch::stack({quantised.packed.bitwise_right_shift(4), quantised.packed.bitwise_and(15)},
                      1)
      .flatten();
}

torch::Tensor nf4_linear(const torch::Tensor& x, const Nf4Tensor& quantised, bool fused) {
  return Nf4Linear::apply(x, quantised.packed, quantised.scalers, quantised.factors, quantised.mean,
                          quantised.codebook, quantised.shape, fused);
}

}  // namespace scalemark::llm
