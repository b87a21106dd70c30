// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging of one piece.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "suites/llm/text/vocabulary.hpp"

namespace scalemark::llm {

/// Merges neighbouring parts until no pair is a token: lowest rank first, leftmost among equals.
/// Reuses its memory between pieces; use one per thread.
class Merger {
 public:
  explicit Merger(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// Appends the tokens of `piece`. Needs O(n log n) look-ups for n bytes.
  void append(std::string_view piece, std::vector<Token>& tokens);

  /// Pieces up to this length are merged by looking at all pairs each time.
  static constexpr std::size_t kShort = 48;

 private:
  void append_short(std::string_view piece, std::vector<Token>& tokens) const;
  void append_long(std::string_view piece, std::vector<Token>& tokens);

  /// A part of a long piece, stored at its first byte.
  struct Part {
    Token token;
    std::uint32_t before, end;  ///< first byte of the part before, of the part after
  };
  /// A pair that could be merged, as it was when it was found.
  struct Pair {
    std::uint64_t order;  ///< rank, then place
    std::uint32_t end;
  };
  void push_pair(std::string_view piece, std::uint32_t left);

  const Vocabulary& vocabulary_;
  std::vector<Part> parts_;
  std::vector<Pair> heap_;
};

}  // namespace scalemark::llm
