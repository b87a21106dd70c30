// SPDX-License-Identifier: Apache-2.0
// Built-in data: 100 instruction rows, and a small vocabulary.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "suites/llm/text/conversation.hpp"
#include "suites/llm/text/tokenizer.hpp"

namespace scalemark::llm {

/// 100 instruction rows of our own making, in Alpaca's fields.
std::vector<Record> builtin_rows();

/// torchtune's test vocabulary of 2,000 tokens, as its file (suites/llm/data/README.md).
std::string_view small_vocabulary_file();
/// Its tokenizer; special tokens follow the vocabulary, so a model of 2,256 ids is enough.
std::unique_ptr<Tokenizer> make_small_tokenizer();

}  // namespace scalemark::llm
