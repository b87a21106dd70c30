// SPDX-License-Identifier: Apache-2.0
// The files that data/embed.s.in put into the program.
#include "suites/llm/text/builtin.hpp"

#include "suites/llm/text/data_rows.hpp"

extern "C" {
extern const char scalemark_instruct_rows[], scalemark_instruct_rows_end[];
extern const char scalemark_small_vocabulary[], scalemark_small_vocabulary_end[];
}

namespace scalemark::llm {

std::vector<Record> builtin_rows() {
  return parse_records({scalemark_instruct_rows, scalemark_instruct_rows_end},
                       "built-in instruction rows", Corpus::alpaca);
}

std::string_view small_vocabulary_file() {
  return {scalemark_small_vocabulary, scalemark_small_vocabulary_end};
}

std::unique_ptr<Tokenizer> make_small_tokenizer() {
  return make_bpe_tokenizer(Vocabulary::parse(small_vocabulary_file(), "built-in vocabulary"));
}

}  // namespace scalemark::llm
