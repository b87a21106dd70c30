// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging.
#include "suites/llm/text/merge.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace scalemark::llm {
namespace {

constexpr Token kNoRank = std::numeric_limits<Token>::max();
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

std::uint8_t byte_at(std::string_view piece, std::size_t at) {
  return static_cast<std::uint8_t>(piece[at]);
}

Token rank_of(Token token) { return token == kNoToken ? kNoRank : token; }

}  // namespace

void Merger::append(std::string_view piece, std::vector<Token>& tokens) {
  if (piece.size() <= kShort) {
    append_short(piece, tokens);
  } else {
    append_long(piece, tokens);
  }
}

void Merger::append_short(std::string_view piece, std::vector<Token>& tokens) const {
  std::array<std::uint8_t, kShort + 1> start;
  std::array<Token, kShort> token, rank;  // rank[i]: of parts i and i + 1 merged
  std::size_t parts = piece.size();
  for (std::size_t i = 0; i < parts; ++i) {
    start[i] = static_cast<std::uint8_t>(i);
    token[i] = vocabulary_.of_byte(byte_at(piece, i));
    rank[i] = i + 1 < parts ? rank_of(vocabulary_.of_pair(byte_at(piece, i), byte_at(piece, i + 1)))
                            : kNoRank;
  }
  start[parts] = static_cast<std::uint8_t>(parts);
  const auto look_up = [&](std::size_t i) {
    if (i + 1 >= parts) return kNoRank;
    const std::size_t end = start[i + 2];
    return rank_of(vocabulary_.find(piece.substr(start[i], end - start[i])));
  };
  while (parts > 1) {
    const auto* const best = std::min_element(rank.data(), rank.data() + parts - 1);
    if (*best == kNoRank) break;
    const auto i = static_cast<std::size_t>(best - rank.data());
    token[i] = *best;
    for (std::size_t j = i + 1; j + 1 < parts; ++j) {
      start[j] = start[j + 1];
      token[j] = token[j + 1];
      rank[j] = rank[j + 1];
    }
    start[parts - 1] = start[parts];
    --parts;
    rank[i] = look_up(i);
    if (i > 0) rank[i - 1] = look_up(i - 1);
  }
  tokens.insert(tokens.end(), token.begin(), token.begin() + static_cast<std::ptrdiff_t>(parts));
}

void Merger::push_pair(std::string_view piece, std::uint32_t left) {
  const std::uint32_t right = parts_[left].end;
  if (right >= piece.size()) return;
  const std::uint32_t end = parts_[right].end;
  const Token token = end - left == 2
                          ? vocabulary_.of_pair(byte_at(piece, left), byte_at(piece, left + 1))
                          : vocabulary_.find(piece.substr(left, end - left));
  if (token == kNoToken) return;
  heap_.push_back({std::uint64_t{static_cast<std::uint32_t>(token)} << 32 | left, end});
}

void Merger::append_long(std::string_view piece, std::vector<Token>& tokens) {
  const auto later = [](const Pair& a, const Pair& b) { return a.order > b.order; };
  const auto size = static_cast<std::uint32_t>(piece.size());
  parts_.resize(size);
  heap_.clear();
  for (std::uint32_t i = 0; i < size; ++i)
    parts_[i] = {vocabulary_.of_byte(byte_at(piece, i)), i == 0 ? kNone : i - 1, i + 1};
  for (std::uint32_t i = 0; i < size; ++i) push_pair(piece, i);
  std::make_heap(heap_.begin(), heap_.end(), later);
  while (!heap_.empty()) {
    const Pair pair = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    const auto left = static_cast<std::uint32_t>(pair.order);
    // Gone meanwhile: the left part was merged into another one, or either part has grown.
    if (parts_[left].token == kNoToken) continue;
    const std::uint32_t right = parts_[left].end;
    if (right >= size || parts_[right].end != pair.end) continue;
    parts_[right].token = kNoToken;
    parts_[left].token = static_cast<Token>(pair.order >> 32);
    parts_[left].end = pair.end;
    if (pair.end < size) parts_[pair.end].before = left;
    for (const std::uint32_t changed : {parts_[left].before, left}) {
      if (changed == kNone) continue;
      const std::size_t before = heap_.size();
      push_pair(piece, changed);
      if (heap_.size() > before) std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }
  for (std::uint32_t at = 0; at < size; at = parts_[at].end) tokens.push_back(parts_[at].token);
}

}  // namespace scalemark::llm
