// SPDX-License-Identifier: Apache-2.0
// Opens the tokenizer and loads the rows that a case's axes name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/core/case.hpp"
#include "suites/llm/text/conversation.hpp"
#include "suites/llm/text/token_rows.hpp"
#include "suites/llm/text/tokenizer.hpp"

namespace scalemark::llm {

/// Values of axis `tokenizer`: small (built in), bytes, file (`--data tokenizer=FILE`).
const std::vector<std::string>& tokenizer_names();
/// Values of axis `source`: synthetic, builtin (our own rows, dataset=alpaca and preference only),
/// file (`--data NAME=FILE`, NAME as in axis `dataset`).
const std::vector<std::string>& text_source_names();

/// Tokenizer of axis `tokenizer`. Skips the case if no file was given; throws InputError for a file
/// that is no tokenizer.
std::unique_ptr<Tokenizer> open_tokenizer(const Case& c);

/// Rows of axes `dataset`, `source` and `rows` (0 = all of a file, 500 synthetic ones; built-in
/// rows are repeated from their start where there are fewer). The same on all ranks. Skips the case
/// where no file was given.
std::vector<Record> load_records(const Case& c);
/// Pairs of answers of dataset=preference. For other sets, and built-in rows, the rejected answer
/// is that of another row (recorded as a fact).
std::vector<PreferenceRecord> load_preferences(Case& c);

/// Progress callback for tokenize(): reports to the watchdog on each call, and prints a line on
/// stderr each second, and at the end if it took longer than one second.
Progress show_progress(Case& c);

}  // namespace scalemark::llm
