// SPDX-License-Identifier: Apache-2.0
// Kernel: converts the built-in text rows, with their template, to tokens of the built-in
// vocabulary, on one thread.
#include "suites/llm/text/blanks.hpp"
#include "suites/llm/text/builtin.hpp"
#include "suites/llm/text/token_rows.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

std::uint64_t text_bytes(const std::vector<llm::Record>& records) {
  std::uint64_t bytes = 0;
  for (const llm::Record& record : records) {
    for (const llm::Turn& turn : record) bytes += turn.text.size() + turn.context.size();
  }
  return bytes;
}

/// Number of turns whose text is missing in the decoded tokens of their row.
std::uint64_t lost_turns(const std::vector<llm::Record>& records,
                         const std::vector<llm::TokenRow>& rows, const llm::Tokenizer& tokenizer) {
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string text = i < rows.size() ? tokenizer.decode(rows[i].ids) : std::string();
    for (const llm::Turn& turn : records[i])
      lost += text.find(llm::stripped(turn.text)) == std::string::npos ? 1 : 0;
  }
  return lost;
}

void run_tokenizer(benchmark::State& state) {
  const std::vector<llm::Record> records = llm::builtin_rows();
  const std::unique_ptr<llm::Tokenizer> tokenizer = llm::make_small_tokenizer();
  const llm::TokenizeOptions options{
      .form = llm::natural_template(llm::Corpus::alpaca), .train_on_input = true, .progress = {}};
  llm::TextStatistics statistics;
  std::vector<llm::TokenRow> rows;
  for (auto _ : state) rows = llm::tokenize(records, *tokenizer, options, statistics);
  std::uint64_t turns = 0;
  for (const llm::Record& record : records) turns += record.size();
  set_checked(state, turns, lost_turns(records, rows, *tokenizer),
              "the text of every turn in its row, decoded");
  set_work(state, {.bytes = static_cast<double>(text_bytes(records)),
                   .items = static_cast<double>(statistics.tokens)});
}

[[maybe_unused]] const bool kTokenizerAdded = add(
    "tokenizer", {{"rows", std::int64_t{100}}, {"tokenizer", std::string("small")}}, run_tokenizer);

}  // namespace
}  // namespace scalemark::micro::kernels
