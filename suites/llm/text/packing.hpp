// SPDX-License-Identifier: Apache-2.0
// Packs several rows into one of fixed length.
#pragma once

#include <span>
#include <vector>

#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {

/// Concatenated rows, each a separate document: attention stays inside it, and its positions start
/// at 0. All vectors have the pack's length.
struct Pack {
  std::vector<Token> ids, labels;
  std::vector<std::int32_t> positions;
  /// Lengths of the documents; they add up to the pack's length. Padding, if any, is the last one.
  std::vector<std::size_t> documents;
  std::size_t used = 0;  ///< tokens that are no padding
};

/// Fills packs of `length` tokens greedily in row order. Without `split_across_pack` a row that
/// does not fit starts the next pack. With it the row is split, and the rest is a new document at
/// position 0. Padding continues the positions of the last document, below `length`. Throws Error,
/// naming the row, if it is longer than a pack and must not be split.
std::vector<Pack> pack_rows(std::span<const TokenRow> rows, std::size_t length, Token padding,
                            bool split_across_pack);

/// Document index of each token, from 0. A token attends to earlier tokens of its own document.
std::vector<std::int32_t> document_of_tokens(const Pack& pack);

}  // namespace scalemark::llm
