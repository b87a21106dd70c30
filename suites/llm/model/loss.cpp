// SPDX-License-Identifier: Apache-2.0
// Losses of language models over labels with masked places.
#include "suites/llm/model/loss.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <torch/autograd.h>
#include <torch/utils.h>

#include "common/torch/products.hpp"

namespace scalemark::llm {
namespace {

torch::Tensor at_least_fp32(const torch::Tensor& x) {
  return x.to(torch::promoteTypes(x.scalar_type(), torch::kFloat32));
}

torch::Tensor cross_entropy(const torch::Tensor& logits_bsv, const torch::Tensor& shifted_bs,
                            at::Reduction::Reduction reduction) {
  return torch::cross_entropy_loss(at_least_fp32(logits_bsv.flatten(0, 1)), shifted_bs.flatten(),
                                   /*weight=*/{}, reduction, kMasked);
}

}  // namespace

torch::Tensor shift_labels(const torch::Tensor& labels_bs) {
  return torch::cat({labels_bs.slice(1, 1), torch::full_like(labels_bs.slice(1, 0, 1), kMasked)},
                    1);
}

std::int64_t count_labels(const torch::Tensor& labels_bs) {
  return (labels_bs != kMasked).sum().item<std::int64_t>();
}

torch::Tensor token_losses(const torch::Tensor& logits_bsv, const torch::Tensor& shifted_bs) {
  return cross_entropy(logits_bsv, shifted_bs, at::Reduction::None).view(shifted_bs.sizes());
}

torch::Tensor loss_sum(const torch::Tensor& logits_bsv, const torch::Tensor& shifted_bs,
                       std::int64_t chunks) {
  return loss_sum(logits_bsv.chunk(chunks, 1), shifted_bs);
}

torch::Tensor loss_sum(const std::vector<torch::Tensor>& logits_bsv,
                       const torch::Tensor& shifted_bs) {
  torch::Tensor sum;
  std::int64_t first = 0;
  for (const torch::Tensor& logits : logits_bsv) {
    const std::int64_t width = logits.size(1);
    const torch::Tensor part =
        cross_entropy(logits, shifted_bs.narrow(1, first, width), at::Reduction::Sum);
    sum = sum.defined() ? sum + part : part;
    first += width;
  }
  return sum;
}

torch::Tensor loss_mean(const torch::Tensor& logits_bsv, const torch::Tensor& shifted_bs,
                        std::int64_t chunks) {
  const std::int64_t count = count_labels(shifted_bs);
  return loss_sum(logits_bsv, shifted_bs, chunks) / std::max<std::int64_t>(count, 1);
}

torch::Tensor unmasked_indices(const torch::Tensor& labels_n) {
  if (labels_n.is_cpu()) return (labels_n != kMasked).nonzero().squeeze(1);
  return torch::arange(labels_n.size(0), labels_n.options());
}

LabelLogarithms label_logarithms(const torch::Tensor& logits_nv, const torch::Tensor& labels_n1) {
  const torch::Tensor masked = labels_n1 == kMasked, labels = labels_n1.clamp_min(0);
  const torch::Tensor sum = logits_nv.logsumexp(1, /*keepdim=*/true);
  return {.values = (logits_nv.gather(1, labels) - sum).masked_fill_(masked, 0),
          .scale = sum.masked_fill(masked, std::numeric_limits<double>::infinity()),
          .labels = labels,
          .counts = masked.logical_not().to(logits_nv.scalar_type())};
}

void add_product(torch::Tensor& sum, const torch::Tensor& a, const torch::Tensor& b) {
  if (sum.defined()) {
    sum.addmm_(a, b);
  } else {
    sum = torch_support::product(a, b);
  }
}

torch::Tensor sequence_log_probability(const torch::Tensor& logits_bsv,
                                       const torch::Tensor& shifted_bs) {
  // All but the last place, which predicts nothing.
  const std::int64_t width = shifted_bs.size(1) - 1;
  const torch::Tensor labels_bs = shifted_bs.narrow(1, 0, width), masked = labels_bs == kMasked;
  constexpr double kTemperature = 1;
  const torch::Tensor scaled = at_least_fp32(logits_bsv).narrow(1, 0, width) / kTemperature;
  return torch::log_softmax(scaled, -1)
      .gather(2, labels_bs.masked_fill(masked, 0).unsqueeze(2))
      .squeeze(2)
      .masked_fill(masked, 0)
      .sum(1);
}

}  // namespace scalemark::llm
