// SPDX-License-Identifier: Apache-2.0
// Synthetic rows.
#include "suites/llm/text/synthetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include "common/golden/fill.hpp"

namespace scalemark::llm {
namespace {

constexpr std::array<std::string_view, 160> kWords{
    "the",   "of",      "and",   "to",      "in",      "a",       "is",     "that",    "for",
    "it",    "was",     "on",    "with",    "as",      "be",      "at",     "by",      "this",
    "had",   "not",     "are",   "but",     "from",    "or",      "have",   "an",      "they",
    "which", "one",     "you",   "were",    "all",     "her",     "she",    "there",   "would",
    "their", "we",      "him",   "been",    "has",     "when",    "who",    "will",    "no",
    "more",  "if",      "out",   "so",      "up",      "said",    "what",   "its",     "about",
    "than",  "into",    "them",  "can",     "only",    "other",   "time",   "new",     "some",
    "could", "these",   "two",   "may",     "first",   "then",    "do",     "any",     "like",
    "my",    "now",     "over",  "such",    "our",     "man",     "me",     "even",    "most",
    "made",  "after",   "also",  "well",    "did",     "many",    "before", "must",    "years",
    "back",  "through", "much",  "where",   "your",    "way",     "down",   "should",  "because",
    "long",  "each",    "just",  "state",   "those",   "people",  "how",    "too",     "little",
    "good",  "world",   "make",  "very",    "year",    "still",   "see",    "work",    "life",
    "here",  "between", "both",  "under",   "never",   "day",     "same",   "another", "know",
    "while", "last",    "might", "us",      "great",   "old",     "off",    "come",    "since",
    "go",    "against", "right", "used",    "take",    "three",   "place",  "point",   "hand",
    "house", "school",  "water", "part",    "number",  "light",   "city",   "night",   "name",
    "story", "list",    "set",   "problem", "example", "machine", "answer"};

constexpr double kMaxTimesMean = 16;
constexpr double kWordsInSentence = 12;
constexpr double kRowsWithContext = 0.4;  // as in Alpaca

/// Random numbers of one row: words of the filling rule, in order.
class RowNumbers {
 public:
  RowNumbers(std::uint64_t seed, std::size_t row) : seed_(seed), row_(row) {}
  /// In [0, 1).
  double uniform() {
    return static_cast<double>(golden::word(seed_, row_, next_++) >> 11) * 0x1p-53;
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  std::size_t length(double mean, double spread) {
    const double value = mean * std::exp(spread * normal() - spread * spread / 2);
    return static_cast<std::size_t>(std::clamp(std::round(value), 1.0, kMaxTimesMean * mean));
  }

 private:
  std::uint64_t seed_, row_, next_ = 0;
};

/// Of so many tokens: words, the frequent ones more often, and full stops.
std::string sentences(RowNumbers& numbers, std::size_t tokens) {
  std::string text;
  for (std::size_t i = 0; i < tokens; ++i) {
    const bool last = i + 1 == tokens;
    if (i > 0 && (last || numbers.uniform() * kWordsInSentence < 1) && text.back() != '.') {
      text += '.';
      continue;
    }
    const double u = numbers.uniform();
    if (!text.empty()) text += ' ';
    text += kWords[static_cast<std::size_t>(u * u * static_cast<double>(kWords.size()))];
  }
  return text;
}

Record record_of(Corpus corpus, const LengthStatistics& lengths, RowNumbers numbers) {
  std::size_t prompt = numbers.length(lengths.prompt, lengths.prompt_spread);
  const std::size_t answer = numbers.length(lengths.answer, lengths.answer_spread);
  Record record;
  Turn user;
  if (corpus == Corpus::alpaca && prompt > 1 && numbers.uniform() < kRowsWithContext) {
    user.context = sentences(numbers, prompt / 2);
    prompt -= prompt / 2;
  }
  if (corpus == Corpus::slimorca && prompt > 1) {
    record.push_back({Role::system, sentences(numbers, prompt / 4 + 1), {}});
    prompt -= prompt / 4 + 1;
  }
  user.text = sentences(numbers, prompt);
  record.push_back(user);
  record.push_back({Role::assistant, sentences(numbers, answer), {}});
  return record;
}

}  // namespace

LengthStatistics length_statistics(Corpus corpus) {
  switch (corpus) {
    case Corpus::alpaca:
      return {.prompt = 24, .answer = 95, .prompt_spread = 0.5, .answer_spread = 0.9};
    case Corpus::grammar:
      return {.prompt = 28.5, .answer = 28.5, .prompt_spread = 0.5, .answer_spread = 0.5};
    case Corpus::samsum:
      return {.prompt = 142, .answer = 25, .prompt_spread = 0.7, .answer_spread = 0.5};
    case Corpus::slimorca:
      return {.prompt = 210, .answer = 190, .prompt_spread = 0.8, .answer_spread = 0.8};
    case Corpus::preference:
      return {.prompt = 614, .answer = 164, .prompt_spread = 0.8, .answer_spread = 0.9};
  }
  return {};
}

std::vector<Record> synthetic_records(Corpus corpus, std::size_t rows, std::uint64_t seed) {
  const LengthStatistics lengths = length_statistics(corpus);
  std::vector<Record> records;
  records.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row)
    records.push_back(record_of(corpus, lengths, RowNumbers(seed, row)));
  return records;
}

std::vector<PreferenceRecord> synthetic_preferences(std::size_t rows, std::uint64_t seed) {
  const LengthStatistics lengths = length_statistics(Corpus::preference);
  std::vector<PreferenceRecord> records;
  records.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    RowNumbers numbers(seed, row);
    const std::string question =
        sentences(numbers, numbers.length(lengths.prompt, lengths.prompt_spread));
    const auto answer = [&] {
      return sentences(numbers, numbers.length(lengths.answer, lengths.answer_spread));
    };
    const std::string chosen = answer();
    records.push_back({{{Role::user, question, {}}}, chosen, answer()});
  }
  return records;
}

}  // namespace scalemark::llm
