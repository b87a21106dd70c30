// SPDX-License-Identifier: Apache-2.0
// From rows of tokens to batches of a rank on its device.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "suites/llm/text/packing.hpp"
#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {

/// A batch on the device, and what is known of it on the host.
struct Examples {
  torch::Tensor tokens_bs, shifted_bs;  ///< int64; labels as of shift_labels()
  /// Packed rows: the lengths of each row's sequences; empty if every row is one.
  std::vector<std::vector<std::int64_t>> sequences;
  std::int64_t positions = 0;  ///< b * s: what is computed
  std::int64_t tokens = 0;     ///< of them, those that are no padding
  std::int64_t labels = 0;     ///< of them, those in the loss
  std::int64_t pairs = 0;      ///< of preferences: b = 2 * pairs, chosen rows, then rejected ones
};

struct TokenLoaderOptions {
  std::int64_t batch = 1, ranks = 1, rank = 0;
  std::uint64_t seed = 0;
  Token padding = 0;
  torch::Device device = torch::kCPU;
  bool pin_memory = false;  ///< batches leave from pinned memory, without being awaited
};

/// Rows in DistributedSampler's order, cut to whole batches that all ranks have (torchtune's
/// drop_last); each batch is padded to its longest row.
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
  /// Throws Error behind the epoch's last one.
  Examples next();
  /// Sent to the device so far; on a CPU those that would be.
  std::int64_t bytes() const { return bytes_; }

 private:
  torch::Tensor send(const torch::Tensor& host);

  std::vector<TokenRow> rows_;
  std::vector<TokenRow> rejected_;                    ///< of each row, if these are pairs
  std::vector<std::vector<std::int64_t>> sequences_;  ///< of each row, if packed
  TokenLoaderOptions options_;
  std::vector<std::int64_t> order_;
  std::size_t next_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace scalemark::llm
