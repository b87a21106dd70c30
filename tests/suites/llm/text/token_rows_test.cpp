// SPDX-License-Identifier: Apache-2.0
// Layout, masks, truncation, batches, packs, statistics and threads. Layouts are written out by
// hand.
#include "suites/llm/text/token_rows.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "suites/llm/text/builtin.hpp"
#include "suites/llm/text/packing.hpp"
#include "suites/llm/text/synthetic.hpp"

namespace scalemark::llm {
namespace {

using Tokens = std::vector<Token>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// With the byte tokenizer ids below 256 are characters.
constexpr Token kBegin = 256, kEnd = 257, kPad = 260, kStart = 262, kStop = 263, kTurn = 265;

Record pair_of(const std::string& user, const std::string& assistant,
               const std::string& context = {}) {
  return {{Role::user, user, context}, {Role::assistant, assistant, {}}};
}

TokenRow row_of(Template form, const Record& record, bool train_on_input = false,
                std::size_t most = 0) {
  const auto bytes = make_byte_tokenizer();
  return lay_out(apply_template(form, record, train_on_input), *bytes, *bytes->encoder(), most);
}

void append(Tokens& ids, Token id) { ids.push_back(id); }
void append(Tokens& ids, const char* text) {
  for (; *text != '\0'; ++text) ids.push_back(static_cast<std::uint8_t>(*text));
}
template <typename... Parts>
Tokens sequence(Parts... parts) {
  Tokens ids;
  (append(ids, parts), ...);
  return ids;
}

TEST(Layout, ChatIsHeadersAndStrippedText) {
  const TokenRow row = row_of(Template::chat, pair_of("  hi\n", "\xE3\x80\x80yo "));
  const Tokens prompt = sequence(kBegin, kStart, "user", kStop, "\n\nhi", kTurn);
  const Tokens answer = sequence(kStart, "assistant", kStop, "\n\nyo", kTurn);
  Tokens ids = prompt, labels(prompt.size(), kIgnoredLabel);
  ids.insert(ids.end(), answer.begin(), answer.end());
  labels.insert(labels.end(), answer.begin(), answer.end());
  ids.push_back(kEnd);
  labels.push_back(kIgnoredLabel);
  EXPECT_EQ(row.ids, ids);
  EXPECT_EQ(row.labels, labels);
  EXPECT_FALSE(row.truncated);
}

TEST(Layout, TrainingOnTheInputMasksTheEndsOnly) {
  for (const auto form : {Template::chat, Template::instruct, Template::grammar}) {
    const TokenRow row = row_of(form, pair_of("hi", "yo"), true);
    EXPECT_EQ(row.labels.front(), kIgnoredLabel);
    EXPECT_EQ(row.labels.back(), kIgnoredLabel);
    EXPECT_EQ(count_labels(row.labels), static_cast<std::int64_t>(row.ids.size()) - 2);
  }
}

TEST(Layout, TemplatesStandAroundTheUsersText) {
  const auto user_text = [](Template form, const Record& record) {
    const TokenRow row = row_of(form, record);
    const auto start = std::ranges::find(row.ids, kStop) + 3,
               end = std::ranges::find(row.ids, kTurn);
    return std::string(start, end);
  };
  EXPECT_EQ(user_text(Template::grammar, pair_of(" she go ", "")),
            "Correct this to standard English:she go---\nCorrected:");
  EXPECT_EQ(user_text(Template::summarize, pair_of("A: hi", "")),
            "Summarize this dialogue:A: hi---\nSummary:");
  EXPECT_EQ(user_text(Template::instruct, pair_of("do", "")),
            "Below is an instruction that describes a task. Write a response that appropriately "
            "completes the request.\n\n### Instruction:\ndo\n\n### Response:");
  EXPECT_EQ(
      user_text(Template::instruct, pair_of("do", "", "this")),
      "Below is an instruction that describes a task, paired with an input that provides further "
      "context. Write a response that appropriately completes the request.\n\n### Instruction:\n"
      "do\n\n### Input:\nthis\n\n### Response:");
  EXPECT_EQ(user_text(Template::chat, pair_of("do", "", "this")), "do\n\nthis");
}

TEST(Layout, EveryAnswerOfAConversationIsTrained) {
  const Record record{{Role::system, "s", {}},
                      {Role::user, "a", {}},
                      {Role::assistant, "b", {}},
                      {Role::user, "c", {}},
                      {Role::assistant, "d", {}}};
  const TokenRow row = row_of(Template::chat, record);
  Tokens trained;
  std::ranges::copy_if(row.labels, std::back_inserter(trained), [](Token l) { return l >= 0; });
  EXPECT_EQ(trained, sequence(kStart, "assistant", kStop, "\n\nb", kTurn, kStart, "assistant",
                              kStop, "\n\nd", kTurn));
}

TEST(Layout, TextCannotSmuggleSpecialTokensIn) {
  const TokenRow row = row_of(Template::chat, pair_of("<|eot_id|>", "<|begin_of_text|>"));
  EXPECT_EQ(std::ranges::count(row.ids, kTurn), 2);
  EXPECT_EQ(std::ranges::count(row.ids, kBegin), 1);
}

TEST(Layout, ALongRowIsCutAndEndsWithEnd) {
  const Record record = pair_of("hello", "world");
  const TokenRow whole = row_of(Template::chat, record);
  const std::size_t length = whole.ids.size();
  for (std::size_t most = 1; most <= length + 2; ++most) {
    const TokenRow row = row_of(Template::chat, record, false, most);
    EXPECT_EQ(row.ids.size(), std::min(most, length));
    EXPECT_EQ(row.labels.size(), row.ids.size());
    EXPECT_EQ(row.ids.back(), kEnd);
    EXPECT_EQ(row.labels.back(), kIgnoredLabel);
    EXPECT_EQ(row.truncated, most < length) << most;
    for (std::size_t i = 0; i + 1 < row.ids.size(); ++i) EXPECT_EQ(row.ids[i], whole.ids[i]);
  }
}

TEST(Statistics, CountWhatBecameOfTheRows) {
  const auto bytes = make_byte_tokenizer();
  const std::vector<Record> records{
      pair_of("a", "b"),          pair_of("a", " \n"),
      pair_of("", "b"),           {},
      {{Role::user, "only", {}}}, pair_of(std::string(100, 'x'), "y")};
  TextStatistics statistics;
  const auto rows = tokenize(records, *bytes, {.max_tokens = 50}, statistics);
  EXPECT_EQ(rows.size(), 3U);
  EXPECT_EQ(statistics.read, 6);
  EXPECT_EQ(statistics.empty, 3);
  EXPECT_EQ(statistics.rows, 3);
  EXPECT_EQ(statistics.truncated, 1);
  EXPECT_EQ(statistics.fully_masked, 1) << "the answer was cut away";
  EXPECT_EQ(statistics.longest, 50);
  std::int64_t tokens = 0, labels = 0;
  for (const TokenRow& row : rows) {
    tokens += static_cast<std::int64_t>(row.ids.size());
    labels += count_labels(row.labels);
  }
  EXPECT_EQ(statistics.tokens, tokens);
  EXPECT_EQ(statistics.labels, labels);
}

TEST(Statistics, APairIsEmptyIfOneAnswerIs) {
  const auto bytes = make_byte_tokenizer();
  const Record question{{Role::user, "q", {}}};
  const std::vector<PreferenceRecord> records{
      {question, "a", "b"}, {question, "a", ""}, {question, "", "b"}};
  TextStatistics statistics;
  const auto pairs = tokenize(records, *bytes, {}, statistics);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(statistics.read, 6);
  EXPECT_EQ(statistics.empty, 4);
  EXPECT_EQ(statistics.rows, 2);
  EXPECT_EQ(pairs[0].chosen.ids, row_of(Template::chat, pair_of("q", "a")).ids);
  EXPECT_EQ(pairs[0].rejected.labels, row_of(Template::chat, pair_of("q", "b")).labels);
}

TEST(Tokenize, ThreadsChangeNothing) {
  const auto small = make_small_tokenizer();
  std::vector<Record> records = synthetic_records(Corpus::alpaca, 3000, 5);
  records[1234].back().text.clear();
  TextStatistics one, four;
  const TokenizeOptions options{.form = Template::instruct, .train_on_input = true};
  const auto serial = tokenize(records, *small, options, one);
  TokenizeOptions parallel = options;
  parallel.threads = 4;
  std::vector<std::size_t> seen;
  const auto caller = std::this_thread::get_id();
  parallel.progress = [&](std::size_t done, std::size_t rows) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(rows, 3000U);
    seen.push_back(done);
  };
  const auto threaded = tokenize(records, *small, parallel, four);
  ASSERT_EQ(serial.size(), 2999U);
  ASSERT_EQ(threaded.size(), serial.size());
  for (std::size_t i = 0; i < serial.size(); ++i) {
    ASSERT_EQ(threaded[i].ids, serial[i].ids) << i;
    ASSERT_EQ(threaded[i].labels, serial[i].labels) << i;
  }
  EXPECT_EQ(four.tokens, one.tokens);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), 3000U);
}

/// A tokenizer whose encoder fails at one text, for the way of an exception.
class Failing final : public Tokenizer {
 public:
  Failing() : Tokenizer(llama3_special_tokens(256), 256), bytes_(make_byte_tokenizer()) {}
  std::unique_ptr<Encoder> encoder() const override {
    class Encoding final : public Encoder {
      void append(std::string_view text, std::vector<Token>&) override {
        if (text == "fail") throw Error("failed as told");
      }
    };
    return std::make_unique<Encoding>();
  }
  Token ordinary() const override { return 256; }
  std::string_view bytes(Token id) const override { return bytes_->bytes(id); }

 private:
  std::unique_ptr<Tokenizer> bytes_;
};

TEST(Tokenize, AnExceptionOfAThreadReachesTheCaller) {
  std::vector<Record> records(1000, pair_of("fine", "fine"));
  records[700] = pair_of("fail", "fine");
  TextStatistics statistics;
  for (const int threads : {1, 4}) {
    EXPECT_THAT([&] { tokenize(records, Failing(), {.threads = threads}, statistics); },
                ThrowsMessage<Error>(HasSubstr("failed as told")));
  }
}

TEST(Batch, PadsToTheLongestAndUpToAMultiple) {
  const TokenRow a{{1, 2, 3}, {-100, 2, 3}, false},
      b{{4, 5, 6, 7, 8}, {-100, -100, 6, 7, -100}, false};
  const std::vector<const TokenRow*> rows{&a, &b};
  const TokenBatch batch = pad_batch(rows, kPad);
  EXPECT_EQ(batch.width, 5U);
  EXPECT_THAT(batch.ids, ElementsAre(1, 2, 3, kPad, kPad, 4, 5, 6, 7, 8));
  EXPECT_THAT(batch.labels, ElementsAre(-100, 2, 3, -100, -100, -100, -100, 6, 7, -100));
  EXPECT_EQ(batch.padding, 2);
  EXPECT_EQ(batch.label_count, 4);
  EXPECT_EQ(pad_batch(rows, kPad, 4).width, 8U);
  EXPECT_EQ(pad_batch(rows, kPad, 4).padding, 8);
  EXPECT_EQ(pad_batch(rows, kPad, 5).width, 5U);
  EXPECT_THROW(pad_batch({}, kPad), Error);
  EXPECT_THROW(pad_batch(rows, kPad, 0), Error);
}

std::vector<TokenRow> rows_of(const std::vector<std::size_t>& lengths) {
  std::vector<TokenRow> rows;
  Token next = 1;
  for (const std::size_t length : lengths) {
    TokenRow row;
    for (std::size_t i = 0; i < length; ++i) {
      row.ids.push_back(next++);
      row.labels.push_back(i == 0 ? kIgnoredLabel : row.ids.back());
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(Packing, ARowThatDoesNotFitBeginsTheNextPack) {
  const std::vector<Pack> packs = pack_rows(rows_of({3, 2, 4, 6, 1}), 6, 99, false);
  ASSERT_EQ(packs.size(), 4U);
  EXPECT_THAT(packs[0].documents, ElementsAre(3, 2, 1));
  EXPECT_THAT(packs[0].ids, ElementsAre(1, 2, 3, 4, 5, 99));
  EXPECT_THAT(packs[0].labels, ElementsAre(-100, 2, 3, -100, 5, -100));
  EXPECT_THAT(packs[0].positions, ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_EQ(packs[0].used, 5U);
  EXPECT_THAT(packs[1].documents, ElementsAre(4, 2));
  EXPECT_THAT(packs[2].documents, ElementsAre(6));
  EXPECT_THAT(packs[3].positions, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(document_of_tokens(packs[0]), ElementsAre(0, 0, 0, 1, 1, 2));
}

TEST(Packing, ASplitRowGoesOnAsADocumentOfItsOwn) {
  const std::vector<Pack> packs = pack_rows(rows_of({3, 14, 2}), 6, 99, true);
  ASSERT_EQ(packs.size(), 4U);
  EXPECT_THAT(packs[0].documents, ElementsAre(3, 3));
  EXPECT_THAT(packs[0].positions, ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(packs[1].documents, ElementsAre(6));
  EXPECT_THAT(packs[2].documents, ElementsAre(5, 1));
  EXPECT_THAT(packs[2].positions, ElementsAre(0, 1, 2, 3, 4, 0));
  EXPECT_THAT(packs[3].documents, ElementsAre(1, 5));
  EXPECT_THAT(packs[3].ids, ElementsAre(19, 99, 99, 99, 99, 99));
}

/// Whatever the lengths: nothing is lost, nothing is mixed, and the pack's sums are its length.
TEST(Packing, KeepsEveryTokenInOrder) {
  const std::vector<TokenRow> rows = rows_of({7, 1, 12, 3, 3, 12, 11, 1, 1, 5, 12, 2});
  for (const bool split : {false, true}) {
    Tokens all;
    for (const Pack& pack : pack_rows(rows, 12, -1, split)) {
      EXPECT_EQ(pack.ids.size(), 12U);
      EXPECT_EQ(pack.labels.size(), 12U);
      EXPECT_EQ(pack.positions.size(), 12U);
      std::size_t sum = 0;
      for (const std::size_t length : pack.documents) sum += length;
      EXPECT_EQ(sum, 12U);
      EXPECT_EQ(document_of_tokens(pack).size(), 12U);
      EXPECT_LT(*std::ranges::max_element(pack.positions), 12);
      all.insert(all.end(), pack.ids.begin(),
                 pack.ids.begin() + static_cast<std::ptrdiff_t>(pack.used));
    }
    Tokens want(70);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = static_cast<Token>(i + 1);
    EXPECT_EQ(all, want);
  }
}

TEST(Packing, ARowLongerThanAPackIsNamed) {
  EXPECT_THAT(
      [] {
        pack_rows(rows_of({3, 7}), 6, 99, false);
      },
      ThrowsMessage<Error>(HasSubstr("row 1 has 7 tokens, a pack 6")));
  EXPECT_THROW(pack_rows({}, 0, 99, true), Error);
  EXPECT_TRUE(pack_rows({}, 6, 99, true).empty());
}

TEST(Templates, NamesAreChecked) {
  EXPECT_EQ(parse_template("summarize"), Template::summarize);
  EXPECT_EQ(parse_corpus("slimorca"), Corpus::slimorca);
  EXPECT_THAT([] { parse_template("poem"); },
              ThrowsMessage<UsageError>(HasSubstr("instruct, grammar")));
  EXPECT_THAT([] { parse_corpus("poems"); },
              ThrowsMessage<UsageError>(HasSubstr("alpaca, grammar")));
}

}  // namespace
}  // namespace scalemark::llm
