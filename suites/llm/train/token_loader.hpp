// SPDX-License-Identifier: Apache-2.0
// From rows of tokens to batches of a rank on its device.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <torch/types.h>

#include "suites/llm/model/llama.hpp"
#include "suites/llm/text/packing.hpp"
#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {

/// A batch on the device, and what is known of it on the host.
struct Examples {
  torch::Tensor tokens_bs, shifted_bs;  ///< int64; labels as of shift_labels()
  Packing packing;                      ///< of rows that hold several sequences, else undefined
  std::int64_t positions = 0;           ///< b * s: what is computed
  std::int64_t tokens = 0;              ///< of them, those that are no padding
  std::int64_t labels = 0;              ///< of them, those in the loss
  std::int64_t pairs_of_tokens = 0;     ///< s^2 of each sequence of s tokens, added up
  std::int64_t pairs = 0;  ///< of preferences: b = 2 * pairs, chosen rows, then rejected ones
  std::int64_t bytes = 0;  ///< sent to the device; on a CPU those that would be
};

struct TokenLoaderOptions {
  std::int64_t batch = 1, ranks = 1, rank = 0;
  std::uint64_t seed = 0;
  Token padding = 0;
  torch::Device device = torch::kCPU;
  bool pin_memory = false;    ///< batches leave from pinned memory, without being awaited
  std::int64_t multiple = 1;  ///< batches are padded up to a multiple of it, but
  std::int64_t longest = 0;   ///< not beyond this, unless by a row itself; 0 = any width
};

/// Rows in DistributedSampler's order, cut to whole batches that all ranks have (torchtune's
/// drop_last); each batch is padded to its longest row, or up to a
/// multiple.
class TokenLoader {
 public:
  TokenLoader(std::vector<TokenRow> rows, const TokenLoaderOptions& options);
  /// Packed rows of one length.
  TokenLoader(std::vector<Pack> packs, const TokenLoaderOptions& options);
  /// Pairs of answers: `batch` counts pairs, and a batch has twice as many rows.
  TokenLoader(std::vector<PreferenceTokens> pairs, const TokenLoaderOptions& options);

  /// Of an epoch, on each rank.
  std::int64_t batches() const;
  /// At the epoch's first batch, or behind so many of them.
  void start(std::uint64_t epoch, std::int64_t done = 0);
  /// Makes the next `count` batches, or those that are left of the epoch, and begins to send them:
  /// next() then has them at once. For the time in which the device works.
  void prepare(std::int64_t count);
  /// Throws Error behind the epoch's last one.
  Examples next();

 private:
  bool at_end() const { return next_ + static_cast<std::size_t>(options_.batch) > order_.size(); }
  Examples make();
  /// Counted in `examples`.
  torch::Tensor send(const torch::Tensor& host, Examples& examples) const;

  std::vector<TokenRow> rows_;
  std::vector<TokenRow> rejected_;                    ///< of each row, if these are pairs
  std::vector<std::vector<std::int64_t>> sequences_;  ///< of each row, if packed
  TokenLoaderOptions options_;
  std::vector<std::int64_t> order_;
  std::size_t next_ = 0;
  std::deque<Examples> prepared_;
};

}  // namespace scalemark::llm
