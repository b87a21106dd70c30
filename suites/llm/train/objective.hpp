// SPDX-License-Identifier: Apache-2.0
// Training objectives: from a micro-batch to the sum that is differentiated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/types.h>

#include "suites/llm/model/llama.hpp"
#include "suites/llm/train/dpo.hpp"
#include "suites/llm/train/token_loader.hpp"

namespace scalemark::llm {

class Objective {
 public:
  virtual ~Objective() = default;

  /// Sums over the counted tokens or pairs of a micro-batch, on its device.
  struct Sums {
    torch::Tensor loss;      ///< scalar, to be differentiated
    torch::Tensor observed;  ///< double, of terms().observed, without gradient; undefined for none
  };
  /// Runs all forward passes. Every trained parameter contributes to one of them.
  virtual Sums sums(Llama& model, const Examples& examples) = 0;
  /// Divisor of the sums, after adding it up over micro-batches and ranks.
  virtual std::int64_t count(const Examples& examples) const = 0;
  /// Names, for metrics and their formulas.
  struct Terms {
    std::string loss, counted;          ///< "cross-entropy", "labels"
    std::vector<std::string> observed;  ///< values besides the loss
  };
  virtual Terms terms() const = 0;
};

/// Cross-entropy of the labels. Not fused: the head, then cross-entropy, in 8 chunks of the
/// sequence, as torchtune; all logits are held together. Fused: fused_loss_sum() of the head's
/// operands, if it has any (a head with adapter has none).
class LanguageModelling final : public Objective {
 public:
  explicit LanguageModelling(bool fused) : fused_(fused) {}
  Sums sums(Llama& model, const Examples& examples) override;
  std::int64_t count(const Examples& examples) const override { return examples.labels; }
  Terms terms() const override;

 private:
  bool fused_;
};

/// dpo_loss() of pairs of answers. Observes chosen_reward, rejected_reward, margin (their
/// difference) and accuracy (1 if the chosen reward is strictly greater). The reference runs first,
/// so that its logits are freed before the policy's graph is built.
class Preference final : public Objective {
 public:
  /// The reference is the model with its adapters switched off.
  Preference(const DpoOptions& options, bool fused) : options_(options), fused_(fused) {}
  /// The reference is another model; it gets no gradients.
  Preference(const DpoOptions& options, bool fused, Llama reference)
      : options_(options), fused_(fused), reference_(std::move(reference)) {}
  /// Throws Error for examples that are no pairs.
  Sums sums(Llama& model, const Examples& examples) override;
  std::int64_t count(const Examples& examples) const override { return examples.pairs; }
  Terms terms() const override;

 private:
  DpoOptions options_;
  bool fused_;
  Llama reference_{nullptr};
};

}  // namespace scalemark::llm
