// SPDX-License-Identifier: Apache-2.0
// Rows of tokens for models of small_config.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "suites/llm/train/token_loader.hpp"

namespace scalemark::llm {

inline constexpr Token kPadding = 60;
inline constexpr std::int64_t kRankBatch = 2, kSteps = 3;  ///< rows of a rank in a step, and steps

/// A row whose length and tokens follow from `seed`; its first tokens are no labels.
inline TokenRow small_row(std::size_t seed) {
  TokenRow row;
  for (std::size_t k = 0; k < 4 + seed * 7 % 11; ++k) {
    row.ids.push_back(static_cast<Token>((seed * 31 + k * 17) % 59));
    row.labels.push_back(k < 1 + seed % 3 ? kIgnoredLabel : row.ids.back());
  }
  return row;
}

/// 24 rows of several lengths.
inline std::vector<TokenRow> small_rows() {
  std::vector<TokenRow> rows;
  for (std::size_t seed = 0; seed < 24; ++seed) rows.push_back(small_row(seed));
  return rows;
}

struct MicroBatches {
  std::vector<Examples> batches;
  std::int64_t labels = 0;  ///< of all of them
};

inline MicroBatches next_micro_batches(TokenLoader& loader, std::int64_t count) {
  MicroBatches step;
  for (std::int64_t i = 0; i < count; ++i) {
    step.batches.push_back(loader.next());
    step.labels += step.batches.back().labels;
  }
  return step;
}

}  // namespace scalemark::llm
