// SPDX-License-Identifier: Apache-2.0
// Synthetic rows: the same for the same seed, and as long as they claim to be.
#include "suites/llm/text/synthetic.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {
namespace {

std::string all_text(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) {
    for (const Turn& turn : record) text += turn.text + "|" + turn.context + "\n";
  }
  return text;
}

/// Words and full stops: one token each in Llama 3's vocabulary.
std::int64_t tokens_of(const std::string& text) {
  if (text.empty()) return 0;
  return 1 + std::ranges::count(text, ' ') + std::ranges::count(text, '.');
}

TEST(Synthetic, ARowDependsOnSeedAndPlaceOnly) {
  for (const Corpus corpus : {Corpus::alpaca, Corpus::grammar, Corpus::samsum, Corpus::slimorca}) {
    const std::string ten = all_text(synthetic_records(corpus, 10, 1));
    EXPECT_EQ(all_text(synthetic_records(corpus, 10, 1)), ten);
    EXPECT_EQ(all_text(synthetic_records(corpus, 20, 1)).substr(0, ten.size()), ten);
    EXPECT_NE(all_text(synthetic_records(corpus, 10, 2)), ten);
  }
}

TEST(Synthetic, TheMeanLengthsAreThoseOfTheStudies) {
  const auto mean = [](Corpus corpus) {
    std::int64_t tokens = 0;
    const std::vector<Record> records = synthetic_records(corpus, 20'000, 3);
    for (const Record& record : records) {
      for (const Turn& turn : record) tokens += tokens_of(turn.text) + tokens_of(turn.context);
    }
    return static_cast<double>(tokens) / static_cast<double>(records.size());
  };
  EXPECT_NEAR(mean(Corpus::alpaca), 59'330 / 500.0, 4);
  EXPECT_NEAR(mean(Corpus::samsum), 83'544 / 500.0, 5);
  EXPECT_NEAR(mean(Corpus::grammar), 28'683 / 500.0, 2);
  EXPECT_NEAR(mean(Corpus::slimorca), 400, 12);
}

TEST(Synthetic, EveryRowHasAQuestionAndAnAnswer) {
  for (const Corpus corpus : {Corpus::alpaca, Corpus::grammar, Corpus::samsum, Corpus::slimorca}) {
    std::size_t with_context = 0;
    for (const Record& record : synthetic_records(corpus, 2000, 4)) {
      ASSERT_GE(record.size(), 2U);
      EXPECT_EQ(record.back().role, Role::assistant);
      for (const Turn& turn : record) EXPECT_FALSE(turn.text.empty());
      with_context += record[0].context.empty() ? 0U : 1U;
    }
    EXPECT_EQ(with_context > 0, corpus == Corpus::alpaca);
  }
}

TEST(Synthetic, PreferencesHaveTwoAnswers) {
  const std::vector<PreferenceRecord> pairs = synthetic_preferences(100, 5);
  ASSERT_EQ(pairs.size(), 100U);
  for (const PreferenceRecord& pair : pairs) {
    EXPECT_EQ(pair.prompt.size(), 1U);
    EXPECT_NE(pair.chosen, pair.rejected);
  }
  EXPECT_EQ(synthetic_preferences(3, 5)[2].rejected, pairs[2].rejected);
}

}  // namespace
}  // namespace scalemark::llm
