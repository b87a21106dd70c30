// SPDX-License-Identifier: Apache-2.0
// Rows of tokens for models of small_config.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "suites/llm/train/token_loader.hpp"

namespace scalemark::llm {

inline constexpr Token kPadding = 60;

/// 24 rows of several lengths; the first tokens of each are no labels.
inline std::vector<TokenRow> small_rows() {
  std::vector<TokenRow> made;
  for (std::size_t i = 0; i < 24; ++i) {
    TokenRow row;
    for (std::size_t k = 0; k < 4 + i * 7 % 11; ++k) {
      row.ids.push_back(static_cast<Token>((i * 31 + k * 17) % 59));
      row.labels.push_back(k < 1 + i % 3 ? kIgnoredLabel : row.ids.back());
    }
    made.push_back(row);
  }
  return made;
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
