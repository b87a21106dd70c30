// SPDX-License-Identifier: Apache-2.0
// The tokens of a byte-pair encoding, read from a file in tiktoken's format.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "suites/llm/text/hash.hpp"

namespace scalemark::llm {

using Token = std::int32_t;
constexpr Token kNoToken = -1;

/// Byte strings numbered by rank: a pair of neighbours may be merged if their bytes together are a
/// token, and the lowest rank goes first. Immutable, so threads share it.
class Vocabulary {
 public:
  /// One token a line: base64, a blank, the rank. The ranks are 0 to n - 1, each once, in any
  /// order; no token stands twice; every single byte is a token. Throws InputError that names
  /// `origin` and the line.
  static Vocabulary parse(std::string_view file, const std::string& origin);
  static Vocabulary read(const std::filesystem::path& path);

  Token size() const { return static_cast<Token>(starts_.size() - 1); }
  /// Of a token from 0 to size() - 1.
  std::string_view bytes(Token token) const;
  /// The token of these bytes, or kNoToken.
  Token find(std::string_view bytes) const {
    return bytes.size() > longest_ ? kNoToken : find(bytes, hash_bytes(bytes));
  }
  Token find(std::string_view bytes, std::uint64_t hash) const;
  Token of_byte(std::uint8_t byte) const { return of_byte_[byte]; }
  /// The token of two bytes, or kNoToken.
  Token of_pair(std::uint8_t first, std::uint8_t second) const {
    return of_pair_[std::size_t{first} << 8 | second];
  }
  /// Bytes of the longest token.
  std::size_t longest() const { return longest_; }

 private:
  Vocabulary() = default;
  void index(const std::string& origin);

  struct Slot {
    Token token = kNoToken;
    std::uint32_t tag = 0;  ///< upper half of the hash
  };
  std::string bytes_;  ///< of all tokens, one after the other
  std::vector<std::uint32_t> starts_;
  std::vector<Slot> slots_;  ///< open addressing, linear probing
  std::array<Token, 256> of_byte_{};
  std::vector<Token> of_pair_;
  std::size_t longest_ = 0;
};

}  // namespace scalemark::llm
