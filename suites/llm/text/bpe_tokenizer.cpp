// SPDX-License-Identifier: Apache-2.0
// The two tokenizers: byte-pair encoding, and single bytes.
#include <array>
#include <cstring>
#include <utility>

#include "common/base/utf8.hpp"
#include "suites/llm/text/blanks.hpp"
#include "suites/llm/text/merge.hpp"
#include "suites/llm/text/splitter.hpp"
#include "suites/llm/text/tokenizer.hpp"

namespace scalemark::llm {
namespace {

/// Cache of recent pieces and their ids, as most words of a text repeat. Each slot holds the last
/// piece stored there.
class PieceCache {
 public:
  PieceCache() : slots_(kSlots) {}

  /// Appends the ids of a piece that is held; false if it is not.
  bool append(std::string_view piece, std::uint64_t hash, std::vector<Token>& ids) const {
    const Slot& slot = slots_[hash % kSlots];
    if (slot.bytes != piece.size() ||
        std::memcmp(slot.piece.data(), piece.data(), piece.size()) != 0)
      return false;
    ids.insert(ids.end(), slot.ids.begin(), slot.ids.begin() + slot.count);
    return true;
  }
  void keep(std::string_view piece, std::uint64_t hash, std::span<const Token> ids) {
    if (piece.size() > kMaxBytes || ids.size() > kMaxIds) return;
    Slot& slot = slots_[hash % kSlots];
    slot.bytes = static_cast<std::uint8_t>(piece.size());
    slot.count = static_cast<std::uint8_t>(ids.size());
    std::memcpy(slot.piece.data(), piece.data(), piece.size());
    std::copy(ids.begin(), ids.end(), slot.ids.begin());
  }

  static constexpr std::size_t kMaxBytes = 30;

 private:
  static constexpr std::size_t kMaxIds = 8, kSlots = 8192;
  struct alignas(64) Slot {
    std::uint8_t bytes = 0, count = 0;
    std::array<char, kMaxBytes> piece{};
    std::array<Token, kMaxIds> ids{};
  };
  static_assert(sizeof(Slot) == 64, "one cache line");
  std::vector<Slot> slots_;
};

class BpeEncoder final : public Encoder {
 public:
  explicit BpeEncoder(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary), merger_(vocabulary) {}

  void append(std::string_view text, std::vector<Token>& ids) override {
    if (!text::is_utf8(text)) {
      append(text::repaired_utf8(text), ids);
      return;
    }
    std::size_t passed = 0;
    while (!text.empty()) {
      const std::size_t bytes = first_cut(text, passed);
      append_cut(text.substr(0, bytes), ids);
      text.remove_prefix(bytes);
    }
  }

 private:
  void append_cut(std::string_view text, std::vector<Token>& ids) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = splitter_.end_of_piece(text, at);
      append_piece(text.substr(at, end - at), ids);
      at = end;
    }
  }

  void append_piece(std::string_view piece, std::vector<Token>& ids) {
    if (piece.size() == 1) {
      ids.push_back(vocabulary_.of_byte(static_cast<std::uint8_t>(piece[0])));
      return;
    }
    const std::uint64_t hash = hash_bytes(piece);
    const bool fits = piece.size() <= PieceCache::kMaxBytes;
    if (fits && cache_.append(piece, hash, ids)) return;
    const std::size_t before = ids.size();
    const Token whole =
        piece.size() <= vocabulary_.longest() ? vocabulary_.find(piece, hash) : kNoToken;
    if (whole != kNoToken) {
      ids.push_back(whole);
    } else {
      merger_.append(piece, ids);
    }
    if (fits) cache_.keep(piece, hash, std::span(ids).subspan(before));
  }

  const Vocabulary& vocabulary_;
  Splitter splitter_;
  Merger merger_;
  PieceCache cache_;
};

class BpeTokenizer final : public Tokenizer {
 public:
  BpeTokenizer(Vocabulary vocabulary, SpecialTokens special)
      : Tokenizer(std::move(special), vocabulary.size()), vocabulary_(std::move(vocabulary)) {}
  std::unique_ptr<Encoder> encoder() const override {
    return std::make_unique<BpeEncoder>(vocabulary_);
  }
  Token ordinary() const override { return vocabulary_.size(); }
  std::string_view bytes(Token id) const override { return vocabulary_.bytes(id); }

 private:
  Vocabulary vocabulary_;
};

constexpr Token kBytes = 256;

class ByteEncoder final : public Encoder {
 public:
  void append(std::string_view text, std::vector<Token>& ids) override {
    if (!text::is_utf8(text)) {
      append(text::repaired_utf8(text), ids);
      return;
    }
    for (const char c : text) ids.push_back(static_cast<std::uint8_t>(c));
  }
};

class ByteTokenizer final : public Tokenizer {
 public:
  ByteTokenizer() : Tokenizer(llama3_special_tokens(kBytes), kBytes) {
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i] = static_cast<char>(i);
  }
  std::unique_ptr<Encoder> encoder() const override { return std::make_unique<ByteEncoder>(); }
  Token ordinary() const override { return kBytes; }
  std::string_view bytes(Token id) const override { return {all_.data() + id, 1}; }

 private:
  std::array<char, kBytes> all_{};
};

}  // namespace

std::unique_ptr<Tokenizer> make_bpe_tokenizer(Vocabulary vocabulary) {
  const Token ordinary = vocabulary.size();
  return make_bpe_tokenizer(std::move(vocabulary), llama3_special_tokens(ordinary));
}

std::unique_ptr<Tokenizer> make_bpe_tokenizer(Vocabulary vocabulary, SpecialTokens special) {
  return std::make_unique<BpeTokenizer>(std::move(vocabulary), std::move(special));
}

std::unique_ptr<Tokenizer> make_byte_tokenizer() { return std::make_unique<ByteTokenizer>(); }

}  // namespace scalemark::llm
