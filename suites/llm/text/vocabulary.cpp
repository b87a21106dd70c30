// SPDX-License-Identifier: Apache-2.0
// Reading a vocabulary, and finding tokens in it.
#include "suites/llm/text/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "suites/llm/text/files.hpp"

namespace scalemark::llm {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMaxTokens = std::size_t{1} << 21;
constexpr std::size_t kMaxTokenBytes = 1024;
constexpr const char* kWanted =
    "a tokenizer file has one token per line: base64, a blank and its rank";

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

/// Appends what `coded` stands for; false if it is no base64 with its padding.
bool append_base64(std::string_view coded, std::string& into) {
  if (coded.empty() || coded.size() % 4 != 0) return false;
  const std::size_t padding = coded.ends_with("==") ? 2 : coded.ends_with('=') ? 1 : 0;
  coded.remove_suffix(padding);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : coded) {
    const int value = base64_value(c);
    if (value < 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      into.push_back(static_cast<char>(bits >> held & 0xFF));
    }
  }
  return (bits & ((1U << held) - 1)) == 0;  // bits that stand for nothing are zero
}

struct Entry {
  std::uint32_t start = 0, bytes = 0;
  std::size_t line = 0;  ///< 0: no line has named this rank yet
};

/// Reads lines into `bytes` and `entries` (by rank).
class Lines {
 public:
  explicit Lines(const std::string& origin) : origin_(origin) {}

  void add(std::string_view line) {
    ++number_;
    const std::size_t blank = line.find(' ');
    const auto start = static_cast<std::uint32_t>(bytes.size());
    if (blank == std::string_view::npos || !append_base64(line.substr(0, blank), bytes)) fail(line);
    const auto length = static_cast<std::uint32_t>(bytes.size()) - start;
    if (length > kMaxTokenBytes) {
      throw InputError(fmt::format("{}:{}: a token of {} bytes; allowed: {}", origin_, number_,
                                   length, kMaxTokenBytes));
    }
    const std::size_t rank = rank_of(line, line.substr(blank + 1));
    if (rank >= entries.size()) entries.resize(rank + 1);
    if (entries[rank].line != 0) {
      throw InputError(fmt::format("{}:{}: rank {} was given in line {} already", origin_, number_,
                                   rank, entries[rank].line));
    }
    entries[rank] = {start, length, number_};
  }

  std::string bytes;
  std::vector<Entry> entries;

 private:
  [[noreturn]] void fail(std::string_view line) const {
    throw InputError(
        fmt::format("{}:{}: '{}': {}", origin_, number_, text::printable(line, 60), kWanted));
  }
  std::size_t rank_of(std::string_view line, std::string_view digits) const {
    std::uint32_t rank = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error != std::errc{} || end != digits.data() + digits.size()) fail(line);
    if (rank >= kMaxTokens) {
      throw InputError(
          fmt::format("{}:{}: rank {}; allowed: below {}", origin_, number_, rank, kMaxTokens));
    }
    return rank;
  }

  const std::string& origin_;
  std::size_t number_ = 0;
};

}  // namespace

Vocabulary Vocabulary::parse(std::string_view file, const std::string& origin) {
  Lines lines(origin);
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    lines.add(file.substr(0, end));
    file.remove_prefix(std::min(end + 1, file.size()));
  }
  if (lines.entries.empty()) throw InputError(fmt::format("{}: is empty; {}", origin, kWanted));
  Vocabulary vocabulary;
  vocabulary.bytes_.reserve(lines.bytes.size());
  for (std::size_t rank = 0; rank < lines.entries.size(); ++rank) {
    const Entry& entry = lines.entries[rank];
    if (entry.line == 0) throw InputError(fmt::format("{}: rank {} is missing", origin, rank));
    vocabulary.starts_.push_back(static_cast<std::uint32_t>(vocabulary.bytes_.size()));
    vocabulary.bytes_.append(lines.bytes, entry.start, entry.bytes);
  }
  vocabulary.starts_.push_back(static_cast<std::uint32_t>(vocabulary.bytes_.size()));
  vocabulary.index(origin);
  return vocabulary;
}

Vocabulary Vocabulary::read(const std::filesystem::path& path) {
  return parse(read_file(path, kMaxFileBytes), path.string());
}

std::string_view Vocabulary::bytes(Token token) const {
  const auto i = static_cast<std::size_t>(token);
  return std::string_view(bytes_).substr(starts_[i], starts_[i + 1] - starts_[i]);
}

void Vocabulary::index(const std::string& origin) {
  slots_.assign(std::bit_ceil(starts_.size() * 2), {});
  of_byte_.fill(kNoToken);
  of_pair_.assign(std::size_t{1} << 16, kNoToken);
  for (Token token = 0; token < size(); ++token) {
    const std::string_view own = bytes(token);
    longest_ = std::max(longest_, own.size());
    const std::uint64_t hash = hash_bytes(own);
    if (const Token same = find(own, hash); same != kNoToken) {
      throw InputError(fmt::format("{}: ranks {} and {} are the same token", origin, same, token));
    }
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].token != kNoToken) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {token, static_cast<std::uint32_t>(hash >> 32)};
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(own[i]); };
    if (own.size() == 1) of_byte_[byte(0)] = token;
    if (own.size() == 2) of_pair_[std::size_t{byte(0)} << 8 | byte(1)] = token;
  }
  for (std::size_t byte = 0; byte < of_byte_.size(); ++byte) {
    if (of_byte_[byte] == kNoToken) {
      throw InputError(fmt::format("{}: byte 0x{:02x} is no token: not every text could be encoded",
                                   origin, byte));
    }
  }
}

Token Vocabulary::find(std::string_view bytes, std::uint64_t hash) const {
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    if (slot.token == kNoToken) return kNoToken;
    if (slot.tag == tag && this->bytes(slot.token) == bytes) return slot.token;
  }
}

}  // namespace scalemark::llm
