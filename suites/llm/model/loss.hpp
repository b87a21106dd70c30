// SPDX-License-Identifier: Apache-2.0
// Losses of language models over labels with masked places.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace scalemark::llm {

inline constexpr std::int64_t kMasked = -100;

/// Number of chunks in torchtune's chunked cross-entropy.
inline constexpr std::int64_t kLossChunks = 8;
/// Tokens of each row of `width` tokens in such a chunk; the last one may have fewer.
constexpr std::int64_t loss_chunk_width(std::int64_t width) {
  return (width + kLossChunks - 1) / kLossChunks;
}
/// Rows of logits that a loss fused with the head computes at a time.
inline constexpr std::int64_t kLossRows = 256;

/// Shifts labels left by one, so that place i holds the next token to predict; the last place is
/// masked.
torch::Tensor shift_labels(const torch::Tensor& labels_bs);

/// Number of unmasked labels.
std::int64_t count_labels(const torch::Tensor& labels_bs);

/// Cross-entropy of each token [b, s], 0 where masked; 16-bit logits are computed in fp32.
/// `shifted_bs` comes from shift_labels().
torch::Tensor token_losses(const torch::Tensor& logits_bsv, const torch::Tensor& shifted_bs);

/// Sum of token_losses(), in `chunks` parts along the sequence: only one part of the logits is held
/// in fp32 at a time.
torch::Tensor loss_sum(const torch::Tensor& logits_bsv, const torch::Tensor& shifted_bs,
                       std::int64_t chunks = 1);

/// The same of logits that were made in parts along the sequence, each in the order given.
torch::Tensor loss_sum(const std::vector<torch::Tensor>& logits_bsv,
                       const torch::Tensor& shifted_bs);

/// loss_sum() divided by the number of labels; 0, with zero gradients, if every label is masked
/// (instead of 0 / 0).
torch::Tensor loss_mean(const torch::Tensor& logits_bsv, const torch::Tensor& shifted_bs,
                        std::int64_t chunks = 1);

/// Indices of labels [n] for which a loss fused with the head computes logits. On CPUs the unmasked
/// ones; on other devices all, since counting would make the host wait.
torch::Tensor unmasked_indices(const torch::Tensor& labels_n);

/// Intermediate results of such a loss for a chunk of logits.
struct LabelLogarithms {
  torch::Tensor values;  ///< [n, 1] logarithm of softmax at the label; 0 where masked
  torch::Tensor scale;   ///< [n, 1] softmax is exp(logits - scale), and 0 where masked
  torch::Tensor labels;  ///< [n, 1] 0 where masked
  torch::Tensor counts;  ///< [n, 1] 0 where masked, else 1
};
/// logits_nv in at least fp32, labels_n1 with kMasked.
LabelLogarithms label_logarithms(const torch::Tensor& logits_nv, const torch::Tensor& labels_n1);

/// sum += a b; `sum` becomes a b if it is undefined.
void add_product(torch::Tensor& sum, const torch::Tensor& a, const torch::Tensor& b);

/// Log-probability of the unmasked labels of each row [b], by torchtune's operators: with a copy of
/// all logits, for a temperature of 1. `shifted_bs` comes from shift_labels(): the last place is
/// not looked at.
torch::Tensor sequence_log_probability(const torch::Tensor& logits_bsv,
                                       const torch::Tensor& shifted_bs);

}  // namespace scalemark::llm
