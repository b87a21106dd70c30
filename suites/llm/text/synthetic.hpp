// SPDX-License-Identifier: Apache-2.0
// Synthetic rows: made-up text with the row lengths of a data set, for runs without its files.
#pragma once

#include <cstdint>
#include <vector>

#include "suites/llm/text/conversation.hpp"

namespace scalemark::llm {

/// Lengths in tokens of Llama 3's tokenizer, of the rows' own text without template and headers:
/// log-normal around these means.
struct LengthStatistics {
  double prompt = 0, answer = 0;                ///< means
  double prompt_spread = 0, answer_spread = 0;  ///< standard deviation of the logarithm
};

/// Means of prompt and answer together are those of the studies' 500-row extracts: alpaca 119,
/// samsum 167, grammar 57 tokens. No source gives them for slimorca (assumed: 400) and preference
/// (614 and 164: 25 rows of stack-exchange-paired); nor how they divide and spread, which is taken
/// from samples of Alpaca and assumed for the others.
LengthStatistics length_statistics(Corpus corpus);

/// Common English words at random; a pure function of its arguments. With Llama 3's tokenizer each
/// word and full stop is one token; other tokenizers give longer rows.
std::vector<Record> synthetic_records(Corpus corpus, std::size_t rows, std::uint64_t seed);
/// A question with two answers of the same length distribution.
std::vector<PreferenceRecord> synthetic_preferences(std::size_t rows, std::uint64_t seed);

}  // namespace scalemark::llm
