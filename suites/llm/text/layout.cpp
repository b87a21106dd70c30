// SPDX-License-Identifier: Apache-2.0
// The layout of one conversation, and batches.
#include <algorithm>

#include "common/base/error.hpp"
#include "suites/llm/text/blanks.hpp"
#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {
namespace {

/// For memory taken once: English has some four bytes a token.
std::size_t likely_tokens(std::span<const Message> messages) {
  std::size_t bytes = 0;
  for (const Message& message : messages) {
    for (const std::string& piece : message.pieces) bytes += piece.size();
  }
  return bytes / 4 + 6 * messages.size() + 2;
}

}  // namespace

std::int64_t count_labels(std::span<const Token> labels) {
  return std::ranges::count_if(labels, [](Token label) { return label != kIgnoredLabel; });
}

TokenRow lay_out(std::span<const Message> messages, const Tokenizer& tokenizer, Encoder& encoder,
                 std::size_t max_tokens) {
  const SpecialTokens& special = tokenizer.special();
  TokenRow row;
  const std::size_t likely = likely_tokens(messages);
  row.ids.reserve(likely);
  row.labels.reserve(likely);
  row.ids.push_back(special.begin);
  row.labels.push_back(kIgnoredLabel);
  for (const Message& message : messages) {
    const std::size_t start = row.ids.size();
    row.ids.push_back(special.start_header);
    encoder.append(to_string(message.role), row.ids);
    row.ids.push_back(special.end_header);
    encoder.append("\n\n", row.ids);
    for (const std::string& piece : message.pieces) encoder.append(stripped(piece), row.ids);
    row.ids.push_back(special.end_of_turn);
    if (message.masked) {
      row.labels.resize(row.ids.size(), kIgnoredLabel);
    } else {
      row.labels.insert(row.labels.end(), row.ids.begin() + static_cast<std::ptrdiff_t>(start),
                        row.ids.end());
    }
    if (max_tokens > 0 && row.ids.size() >= max_tokens) break;
  }
  row.ids.push_back(special.end);
  row.labels.push_back(kIgnoredLabel);
  if (max_tokens > 0 && row.ids.size() > max_tokens) {
    row.ids.resize(max_tokens);
    row.labels.resize(max_tokens);
    row.ids.back() = special.end;
    row.labels.back() = kIgnoredLabel;
    row.truncated = true;
  }
  return row;
}

TokenBatch pad_batch(std::span<const TokenRow* const> rows, Token padding, std::size_t multiple,
                     std::size_t most) {
  if (rows.empty() || multiple == 0)
    throw Error("a batch has rows, and pads to a multiple of 1 or more");
  TokenBatch batch;
  batch.rows = rows.size();
  for (const TokenRow* row : rows) batch.width = std::max(batch.width, row->ids.size());
  const std::size_t up = (batch.width + multiple - 1) / multiple * multiple;
  batch.width = most == 0 ? up : std::max(batch.width, std::min(up, most));
  batch.ids.assign(batch.rows * batch.width, padding);
  batch.labels.assign(batch.rows * batch.width, kIgnoredLabel);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TokenRow& row = *rows[i];
    const auto at = static_cast<std::ptrdiff_t>(i * batch.width);
    std::ranges::copy(row.ids, batch.ids.begin() + at);
    std::ranges::copy(row.labels, batch.labels.begin() + at);
    batch.padding += static_cast<std::int64_t>(batch.width - row.ids.size());
  }
  batch.label_count = count_labels(batch.labels);
  return batch;
}

}  // namespace scalemark::llm
