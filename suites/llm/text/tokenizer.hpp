// SPDX-License-Identifier: Apache-2.0
// Tokenizers: text to token ids and back, with the special tokens that mark up a conversation.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/llm/text/vocabulary.hpp"

namespace scalemark::llm {

/// Tokens that stand for no text: by their names, and those that the layout of rows needs.
struct SpecialTokens {
  std::map<std::string, Token> ids;
  Token begin = kNoToken, end = kNoToken, padding = kNoToken;
  Token start_header = kNoToken, end_header = kNoToken, end_of_turn = kNoToken;
};

/// Llama 3's eleven named ones in their order from `first` on (128,000 in Llama's own vocabulary).
SpecialTokens llama3_special_tokens(Token first);
/// Any table that has the six names which the layout needs. Throws InputError for a missing name,
/// an empty one, an id that is negative or stands twice, or lies below `ordinary`.
SpecialTokens special_tokens(std::map<std::string, Token> ids, Token ordinary);
/// How many ids a vocabulary keeps for special tokens, named or not: 256 as in Llama 3.
constexpr Token kReservedSpecialTokens = 256;

/// Encoder for one thread; caches recent pieces.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Appends the ids of `text`. Text that looks like a special token is ordinary text; what is not
  /// UTF-8 becomes U+FFFD first.
  virtual void append(std::string_view text, std::vector<Token>& ids) = 0;
};

/// Immutable, so threads share it; it outlives its encoders.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual std::unique_ptr<Encoder> encoder() const = 0;
  /// Number of tokens that stand for text: ids 0 to ordinary() - 1.
  virtual Token ordinary() const = 0;
  /// Bytes of an ordinary token; they may be part of a character.
  virtual std::string_view bytes(Token id) const = 0;

  const SpecialTokens& special() const { return special_; }
  /// Vocabulary size that a model needs: the largest id + 1, including reserved special tokens.
  Token size() const { return size_; }

  std::vector<Token> encode(std::string_view text) const;
  /// Encodes text with special tokens: their names become their ids, the longest match first.
  std::vector<Token> encode_with_special(std::string_view text) const;
  /// The bytes of the ids, with special tokens by name. Throws Error for an unknown id.
  std::string decode(std::span<const Token> ids) const;

 protected:
  Tokenizer(SpecialTokens special, Token ordinary);

 private:
  SpecialTokens special_;
  std::map<Token, std::string> names_;
  Token size_;
};

/// Byte-pair encoding with Llama 3's split expression. The special tokens follow the vocabulary.
std::unique_ptr<Tokenizer> make_bpe_tokenizer(Vocabulary vocabulary);
std::unique_ptr<Tokenizer> make_bpe_tokenizer(Vocabulary vocabulary, SpecialTokens special);
/// One token per byte; needs no file.
std::unique_ptr<Tokenizer> make_byte_tokenizer();

}  // namespace scalemark::llm
