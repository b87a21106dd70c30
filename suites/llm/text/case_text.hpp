// SPDX-License-Identifier: Apache-2.0
// Tokenizer and rows as the axes of a case name them.
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

/// Of axis `tokenizer`. Skips the case where no file was given; a file that is no tokenizer is an
/// InputError.
std::unique_ptr<Tokenizer> open_tokenizer(const Case& c);

/// Rows of axes `dataset`, `source` and `rows` (0 = all of a file, 500 synthetic ones; built-in
/// rows are repeated from their start where there are fewer). The same on all ranks. Skips the case
/// where no file was given.
std::vector<Record> load_records(const Case& c);
/// Pairs of answers: those of dataset=preference; of the other sets, and built-in ones, an answer
/// was preferred to that of another row (a fact says so).
std::vector<PreferenceRecord> load_preferences(Case& c);

/// For tokenize(): a sign of life each time, a line on stderr each second and at the end of what
/// took longer than one.
Progress show_progress(Case& c);

}  // namespace scalemark::llm
