// SPDX-License-Identifier: Apache-2.0
// Common parts of all tokenizers: special tokens and decoding.
#include "suites/llm/text/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::llm {
namespace {

constexpr std::array<const char*, 11> kLlama3Names{"<|begin_of_text|>",
                                                   "<|end_of_text|>",
                                                   "<|reserved_special_token_0|>",
                                                   "<|reserved_special_token_1|>",
                                                   "<|finetune_right_pad_id|>",
                                                   "<|step_id|>",
                                                   "<|start_header_id|>",
                                                   "<|end_header_id|>",
                                                   "<|eom_id|>",
                                                   "<|eot_id|>",
                                                   "<|python_tag|>"};
constexpr Token kMaxId = Token{1} << 24;

/// Where the next special token begins, which one, and how long its name is.
struct Found {
  std::size_t at = std::string_view::npos, bytes = 0;
  Token id = kNoToken;
};

/// Finds special tokens from left to right; each name is looked for again only behind its last
/// place.
class SpecialFinder {
 public:
  SpecialFinder(std::string_view text, const std::map<std::string, Token>& ids) : text_(text) {
    for (const auto& [name, id] : ids) names_.push_back({name, id, text.find(name)});
  }
  Found next(std::size_t from) {
    Found first;
    for (Name& name : names_) {
      if (name.at < from) name.at = text_.find(name.text, from);
      if (name.at == std::string_view::npos) continue;
      if (name.at < first.at || (name.at == first.at && name.text.size() > first.bytes))
        first = {name.at, name.text.size(), name.id};
    }
    return first;
  }

 private:
  struct Name {
    std::string_view text;
    Token id;
    std::size_t at;
  };
  std::string_view text_;
  std::vector<Name> names_;
};

}  // namespace

SpecialTokens llama3_special_tokens(Token first) {
  std::map<std::string, Token> ids;
  for (std::size_t i = 0; i < kLlama3Names.size(); ++i)
    ids.emplace(kLlama3Names[i], first + static_cast<Token>(i));
  return special_tokens(std::move(ids), first);
}

SpecialTokens special_tokens(std::map<std::string, Token> ids, Token ordinary) {
  std::map<Token, std::string> seen;
  for (const auto& [name, id] : ids) {
    if (name.empty()) throw InputError("a special token has an empty name");
    const std::string shown = text::printable(name, 80);
    if (id < ordinary || id > kMaxId) {
      throw InputError(fmt::format("special token '{}' has id {}; allowed: {} to {}", shown, id,
                                   ordinary, kMaxId));
    }
    const auto [other, is_new] = seen.emplace(id, shown);
    if (!is_new)
      throw InputError(
          fmt::format("special tokens '{}' and '{}' are both {}", other->second, shown, id));
  }
  const auto id_of = [&](const char* name) {
    const auto found = ids.find(name);
    if (found == ids.end()) throw InputError(fmt::format("special token '{}' is missing", name));
    return found->second;
  };
  SpecialTokens special{.begin = id_of("<|begin_of_text|>"),
                        .end = id_of("<|end_of_text|>"),
                        .padding = id_of("<|finetune_right_pad_id|>"),
                        .start_header = id_of("<|start_header_id|>"),
                        .end_header = id_of("<|end_header_id|>"),
                        .end_of_turn = id_of("<|eot_id|>")};
  special.ids = std::move(ids);
  return special;
}

Tokenizer::Tokenizer(SpecialTokens special, Token ordinary)
    : special_(std::move(special)), size_(ordinary + kReservedSpecialTokens) {
  for (const auto& [name, id] : special_.ids) {
    names_.emplace(id, name);
    size_ = std::max(size_, id + 1);
  }
}

std::vector<Token> Tokenizer::encode(std::string_view text) const {
  std::vector<Token> ids;
  encoder()->append(text, ids);
  return ids;
}

std::vector<Token> Tokenizer::encode_with_special(std::string_view text) const {
  std::vector<Token> ids;
  const std::unique_ptr<Encoder> ordinary_text = encoder();
  SpecialFinder finder(text, special_.ids);
  std::size_t at = 0;
  for (;;) {
    const Found found = finder.next(at);
    ordinary_text->append(text.substr(at, found.at - at), ids);
    if (found.id == kNoToken) return ids;
    ids.push_back(found.id);
    at = found.at + found.bytes;
  }
}

std::string Tokenizer::decode(std::span<const Token> ids) const {
  std::string text;
  for (const Token id : ids) {
    if (id >= 0 && id < ordinary()) {
      text += bytes(id);
    } else if (const auto name = names_.find(id); name != names_.end()) {
      text += name->second;
    } else {
      throw Error(fmt::format("id {} is not the id of a token", id));
    }
  }
  return text;
}

}  // namespace scalemark::llm
