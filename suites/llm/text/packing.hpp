// SPDX-License-Identifier: Apache-2.0
// Packing: several rows in one of fixed length.
#pragma once

#include <span>
#include <vector>

#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {

/// Rows one after the other, each a document of its own: attention stays inside it, and its
/// positions begin with 0. All vectors have the pack's length.
struct Pack {
  std::vector<Token> ids, labels;
  std::vector<std::int32_t> positions;
  /// Lengths of the documents; they add up to the pack's length. Padding, if any, is the last one.
  std::vector<std::size_t> documents;
  std::size_t used = 0;  ///< tokens that are no padding
};

/// Fills packs of `length` tokens greedily in the order of the rows. Without `split_across_pack` a
/// row that does not fit begins the next pack; with it, it goes on there (as a document of its own,
/// at position 0). Positions of padding go on behind those of the last document, below `length`.
/// Throws Error that names the row if one is longer than a pack and may not be split.
std::vector<Pack> pack_rows(std::span<const TokenRow> rows, std::size_t length, Token padding,
                            bool split_across_pack);

/// Number of the document that each token belongs to, from 0: tokens see each other if it is the
/// same (and the one that looks comes later).
std::vector<std::int32_t> document_of_tokens(const Pack& pack);

}  // namespace scalemark::llm
