// SPDX-License-Identifier: Apache-2.0
// Rows of tokens with their labels: the layout of conversations, and batches of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "suites/llm/text/conversation.hpp"
#include "suites/llm/text/tokenizer.hpp"

namespace scalemark::llm {

/// Label of a token that is not in the loss.
constexpr Token kIgnoredLabel = -100;

/// labels[i] is ids[i] or kIgnoredLabel; the loss shifts the labels by one.
struct TokenRow {
  std::vector<Token> ids, labels;
  bool truncated = false;
};

std::int64_t count_labels(std::span<const Token> labels);

/// Llama 3's layout: begin, then for each message start_header, role, end_header, two newlines, the
/// stripped pieces, end_of_turn; then end. Begin and end are never in the loss. With `max_tokens`
/// (0 = none) the row is cut to that length and its last token becomes end. Special tokens are
/// never read from text.
TokenRow lay_out(std::span<const Message> messages, const Tokenizer& tokenizer, Encoder& encoder,
                 std::size_t max_tokens = 0);

/// Counts of what happened to the rows of a data set.
struct TextStatistics {
  std::int64_t read = 0;          ///< rows given
  std::int64_t empty = 0;         ///< dropped: no assistant turn, or none with text
  std::int64_t fully_masked = 0;  ///< kept, but no token is in the loss (cut before the answer)
  std::int64_t truncated = 0;     ///< kept, cut to the maximum
  std::int64_t rows = 0;          ///< kept: read - empty
  std::int64_t tokens = 0, labels = 0, longest = 0;
};

/// Progress callback: rows done and total; called on the calling thread.
using Progress = std::function<void(std::size_t done, std::size_t rows)>;

struct TokenizeOptions {
  Template form = Template::chat;
  bool train_on_input = false;
  std::size_t max_tokens = 0;
  int threads = 1;
  Progress progress;  ///< called regularly, and at the end
};

/// All rows in their order, the same whatever the number of threads. `statistics` is set.
std::vector<TokenRow> tokenize(std::span<const Record> records, const Tokenizer& tokenizer,
                               const TokenizeOptions& options, TextStatistics& statistics);

/// A chosen and a rejected answer to one prompt, each a whole row.
struct PreferenceTokens {
  TokenRow chosen, rejected;
};
/// Statistics count rows (two per pair); a pair is dropped if either answer is empty.
std::vector<PreferenceTokens> tokenize(std::span<const PreferenceRecord> records,
                                       const Tokenizer& tokenizer, const TokenizeOptions& options,
                                       TextStatistics& statistics);

/// Rows padded at their right to one width.
struct TokenBatch {
  std::size_t rows = 0, width = 0;
  std::vector<Token> ids, labels;  ///< row-major
  std::int64_t padding = 0;        ///< tokens that were added
  std::int64_t label_count = 0;    ///< 0: the loss of this batch is defined as 0
};

/// Pads to the longest row, rounded up to a multiple of `multiple`, at most `most` (0 = no limit).
/// Throws Error for no rows, and for multiple 0.
TokenBatch pad_batch(std::span<const TokenRow* const> rows, Token padding, std::size_t multiple = 1,
                     std::size_t most = 0);

}  // namespace scalemark::llm
