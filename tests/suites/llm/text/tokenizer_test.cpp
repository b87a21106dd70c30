// SPDX-License-Identifier: Apache-2.0
// Encoding and decoding: against byte-pair merging as it is defined, there and back, and in time.
#include "suites/llm/text/tokenizer.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/utf8.hpp"
#include "suites/llm/text/builtin.hpp"
#include "suites/llm/text/merge.hpp"

namespace scalemark::llm {
namespace {

using Tokens = std::vector<Token>;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// The definition: again and again the leftmost pair of the lowest rank.
Tokens merged_naively(const Vocabulary& vocabulary, const std::string& piece) {
  std::vector<std::string> parts;
  for (const char c : piece) parts.emplace_back(1, c);
  for (;;) {
    Token best = kNoToken;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const Token token = vocabulary.find(parts[i] + parts[i + 1]);
      if (token != kNoToken && (best == kNoToken || token < best)) {
        best = token;
        at = i;
      }
    }
    if (best == kNoToken) break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  Tokens tokens;
  for (const std::string& part : parts) tokens.push_back(vocabulary.find(part));
  return tokens;
}

std::string random_piece(std::mt19937& random, std::size_t length, std::string_view alphabet) {
  std::string piece;
  while (piece.size() < length) piece += alphabet[random() % alphabet.size()];
  return piece;
}

TEST(Merger, AgreesWithTheDefinition) {
  const Vocabulary vocabulary = Vocabulary::parse(small_vocabulary_file(), "small");
  Merger merger(vocabulary);
  std::mt19937 random(1);
  std::size_t merges = 0;
  for (std::size_t round = 0; round < 3000; ++round) {
    const std::size_t length = 1 + random() % (round % 10 == 0 ? 400 : 2 * Merger::kShort);
    const std::string_view alphabet = round % 3 == 0   ? "aei nrstlo"
                                      : round % 3 == 1 ? "the a"
                                                       : "abcdefghijklmnopqrstuvwxyz .\n";
    const std::string piece = random_piece(random, length, alphabet);
    Tokens got;
    merger.append(piece, got);
    ASSERT_EQ(got, merged_naively(vocabulary, piece)) << piece;
    merges += piece.size() - got.size();
  }
  EXPECT_GT(merges, 50'000U);
}

/// Equal ranks go from the left, also where pairs overlap.
TEST(Merger, TheLeftmostOfEqualPairsGoesFirst) {
  const Vocabulary vocabulary = Vocabulary::parse(small_vocabulary_file(), "small");
  ASSERT_NE(vocabulary.find("ss"), kNoToken);
  Merger merger(vocabulary);
  for (const std::size_t length : {3U, 5U, 7U, 49U, 51U, 101U, 1001U}) {
    const std::string piece(length, 's');
    Tokens got;
    merger.append(piece, got);
    EXPECT_EQ(got, merged_naively(vocabulary, piece)) << length;
  }
}

/// The bytes of a code point; nothing for a surrogate.
std::string utf8_of(std::uint32_t c) {
  const auto last = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), last(0)};
  if (c >= 0xD800 && c < 0xE000) return {};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), last(6), last(0)};
  return {static_cast<char>(0xF0 | c >> 18), last(12), last(6), last(0)};
}

TEST(Tokenizer, EncodesAndDecodesAnyText) {
  const auto small = make_small_tokenizer(), bytes = make_byte_tokenizer();
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (std::size_t left = random() % 200; left > 0; --left)
      text += utf8_of(static_cast<std::uint32_t>(random() % (left % 4 == 0 ? 0x110000 : 0x80)));
    ASSERT_TRUE(text::is_utf8(text));
    EXPECT_EQ(small->decode(small->encode(text)), text);
    EXPECT_EQ(bytes->decode(bytes->encode(text)), text);
  }
}

TEST(Tokenizer, BytesThatAreNoTextAreRepairedFirst) {
  const auto small = make_small_tokenizer(), bytes = make_byte_tokenizer();
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string noise(random() % 200, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    EXPECT_EQ(small->decode(small->encode(noise)), text::repaired_utf8(noise));
    EXPECT_EQ(bytes->decode(bytes->encode(noise)), text::repaired_utf8(noise));
  }
  EXPECT_EQ(bytes->encode("\xFF"), (Tokens{0xEF, 0xBF, 0xBD}));
}

TEST(Tokenizer, TheEncoderRemembersNothingWrong) {
  const auto small = make_small_tokenizer();
  const auto encoder = small->encoder();
  for (int round = 0; round < 2; ++round) {
    for (const std::string text : {"Hello, world!", "hello", "Hello", " hello world", "", "a"}) {
      Tokens ids;
      encoder->append(text, ids);
      EXPECT_EQ(ids, small->encode(text)) << text;
    }
  }
}

/// Beginnings of one word share places of the cache now and then: none may be taken for another.
TEST(Tokenizer, TheCacheTellsAPieceFromItsBeginning) {
  const Vocabulary vocabulary = Vocabulary::parse(small_vocabulary_file(), "small");
  Merger merger(vocabulary);
  const auto small = make_small_tokenizer();
  const auto encoder = small->encoder();
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const std::string word = random_piece(random, 30, "abcdefghijklmnopqrstuvwxyz");
    for (std::size_t length = word.size(); length > 1; --length) {
      Tokens got, want;
      encoder->append(word.substr(0, length), got);
      merger.append(word.substr(0, length), want);
      ASSERT_EQ(got, want) << word.substr(0, length);
    }
  }
}

TEST(Tokenizer, SpecialTokensFollowTheVocabulary) {
  const auto small = make_small_tokenizer(), bytes = make_byte_tokenizer();
  EXPECT_EQ(small->special().begin, 2000);
  EXPECT_EQ(small->special().padding, 2004);
  EXPECT_EQ(small->special().end_of_turn, 2009);
  EXPECT_EQ(small->size(), 2256);
  EXPECT_EQ(bytes->special().begin, 256);
  EXPECT_EQ(bytes->size(), 512);
  EXPECT_EQ(llama3_special_tokens(128'000).ids.at("<|python_tag|>"), 128'010);
}

TEST(Tokenizer, SpecialTokensAreReadFromTextOnlyWhenAsked) {
  const auto small = make_small_tokenizer();
  const std::string text = "<|eot_id|>a<|begin_of_text|><|eot_id|";
  const Tokens plain = small->encode(text);
  EXPECT_TRUE(std::ranges::all_of(plain, [](Token id) { return id < 2000; }));
  EXPECT_EQ(small->decode(plain), text);
  Tokens parsed{2009, 'a', 2000};
  for (const Token id : small->encode("<|eot_id|")) parsed.push_back(id);
  EXPECT_EQ(small->encode_with_special(text), parsed);
  EXPECT_EQ(small->decode(parsed), text);
  EXPECT_EQ(small->encode_with_special(""), Tokens{});
}

TEST(Tokenizer, TheLongestSpecialTokenWins) {
  auto ids = llama3_special_tokens(256).ids;
  ids["<|eot_id|>!"] = 300;
  const auto tokenizer = make_bpe_tokenizer(Vocabulary::parse(small_vocabulary_file(), "small"),
                                            special_tokens(
                                                [&] {
                                                  std::map<std::string, Token> moved;
                                                  for (const auto& [name, id] : ids)
                                                    moved[name] = id + 5000;
                                                  return moved;
                                                }(),
                                                2000));
  EXPECT_EQ(tokenizer->encode_with_special("<|eot_id|><|eot_id|>!"), (Tokens{5265, 5300}));
  EXPECT_EQ(tokenizer->size(), 5301);
}

TEST(Tokenizer, RefusesSpecialTokensThatCannotBe) {
  const auto refused = [](const std::string& name, Token id, const std::string& why) {
    auto ids = llama3_special_tokens(1000).ids;
    ids[name] = id;
    EXPECT_THAT([&] { special_tokens(ids, 1000); }, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  refused("<|x|>", 999, "'<|x|>' has id 999");
  refused("<|x|>", -1, "'<|x|>' has id -1");
  refused("<|x|>", 1009, "are both 1009");
  refused("", 2000, "empty name");
  auto ids = llama3_special_tokens(1000).ids;
  ids.erase("<|eot_id|>");
  EXPECT_THAT([&] { special_tokens(ids, 1000); },
              ThrowsMessage<InputError>(HasSubstr("'<|eot_id|>' is missing")));
}

TEST(Tokenizer, AnIdThatIsNoneCannotBeDecoded) {
  const auto small = make_small_tokenizer();
  EXPECT_THROW(small->decode(Tokens{-1}), Error);
  EXPECT_THROW(small->decode(Tokens{2011}), Error);
}

/// One piece a hundred times as long takes some hundred times as long, a little more as it fits no
/// cache; if time grew with the square, it took a hundred times as long as a hundred short ones.
/// The quickest of several tries, so that a busy machine does not matter.
TEST(Tokenizer, LongPiecesDoNotTakeQuadraticTime) {
  const Vocabulary vocabulary = Vocabulary::parse(small_vocabulary_file(), "small");
  std::mt19937 random(4);
  for (const std::string_view alphabet : {"s", "the a", "abcdefghijklmnopqrstuvwxyz"}) {
    const std::string text = random_piece(random, 24'000, alphabet);
    const auto quickest = [&](std::size_t length) {
      double best = 1e9;
      Merger merger(vocabulary);
      for (int round = 0; round < 7; ++round) {
        Tokens ids;
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t at = 0; at < text.size(); at += length)
          merger.append(std::string_view(text).substr(at, length), ids);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        best = std::min(best, time.count());
      }
      return best;
    };
    EXPECT_LT(quickest(24'000), 20 * quickest(240)) << alphabet;
  }
}

/// The expression must neither run out of stack nor look at a run again and again.
TEST(Tokenizer, LongRunsOfEveryKindAreSplit) {
  const auto small = make_small_tokenizer();
  for (const std::string unit :
       {"a", " ", "\n", "1", "!", " \n", "\t ", "'s", "\xC3\xA9", "\xE3\x80\x80"}) {
    std::string text;
    while (text.size() < 120'000) text += unit;
    EXPECT_EQ(small->decode(small->encode(text)), text) << unit;
    text += "end";
    EXPECT_EQ(small->decode(small->encode(text)), text) << unit;
  }
}

}  // namespace
}  // namespace scalemark::llm
