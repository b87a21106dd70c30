// SPDX-License-Identifier: Apache-2.0
// Tokenizer and rows of a case.
#include "suites/llm/text/case_text.hpp"

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/log.hpp"
#include "suites/llm/text/builtin.hpp"
#include "suites/llm/text/data_rows.hpp"
#include "suites/llm/text/synthetic.hpp"

namespace scalemark::llm {
namespace {

constexpr std::size_t kSyntheticRows = 500;  // as many as the studies' extracts

constexpr std::uint64_t kLineEvery = 1'000'000'000;  // ns

/// The path of `--data name=PATH`.
std::string given_file(const Case& c, const std::string& name) {
  std::string path = c.inputs().data(name);
  if (path.empty()) c.skip(fmt::format("needs --data {}=FILE", name));
  return path;
}

/// Axis `rows`; how many synthetic ones that are.
std::size_t wanted_rows(const Case& c) { return static_cast<std::size_t>(c.integer("rows")); }
std::size_t synthetic_rows(const Case& c) {
  return wanted_rows(c) == 0 ? kSyntheticRows : wanted_rows(c);
}

/// Takes axis `rows` rows, repeated from the start if there are fewer; 0 = each once.
template <typename T>
std::vector<T> repeated(const std::vector<T>& own, std::size_t rows) {
  std::vector<T> records;
  for (std::size_t i = 0; i < (rows == 0 ? own.size() : rows); ++i)
    records.push_back(own[i % own.size()]);
  return records;
}

}  // namespace

const std::vector<std::string>& tokenizer_names() {
  static const std::vector<std::string> names{"small", "bytes", "file"};
  return names;
}

const std::vector<std::string>& text_source_names() {
  static const std::vector<std::string> names{"synthetic", "builtin", "file"};
  return names;
}

std::unique_ptr<Tokenizer> open_tokenizer(const Case& c) {
  const std::string& name = c.text("tokenizer");
  if (name == "bytes") return make_byte_tokenizer();
  if (name == "small") return make_small_tokenizer();
  return make_bpe_tokenizer(Vocabulary::read(given_file(c, "tokenizer")));
}

std::vector<Record> load_records(const Case& c) {
  const std::string &dataset = c.text("dataset"), &source = c.text("source");
  const Corpus corpus = parse_corpus(dataset);
  if (source == "file")
    return read_records(given_file(c, dataset), corpus, {.rows = wanted_rows(c)});
  if (source == "synthetic") return synthetic_records(corpus, synthetic_rows(c), c.seed());
  if (corpus != Corpus::alpaca)
    c.skip("built-in rows exist for dataset=alpaca and preference only");
  return repeated(builtin_rows(), wanted_rows(c));
}

std::vector<PreferenceRecord> load_preferences(Case& c) {
  const std::string& source = c.text("source");
  const bool paired = parse_corpus(c.text("dataset")) == Corpus::preference;
  c.fact("rejected_answers",
         paired && source != "builtin" ? source : "answers to other rows, of the next length");
  if (!paired) return pair_with_other_answers(load_records(c));
  if (source == "file")
    return read_preferences(given_file(c, "preference"), {.rows = wanted_rows(c)});
  if (source == "synthetic") return synthetic_preferences(synthetic_rows(c), c.seed());
  return repeated(pair_with_other_answers(builtin_rows()), wanted_rows(c));
}

Progress show_progress(Case& c) {
  const std::uint64_t start = now_ns();
  return [&c, start, last = start](std::size_t done, std::size_t rows) mutable {
    c.report_progress();
    const std::uint64_t now = now_ns();
    if (now - (done == rows ? start : last) < kLineEvery) return;
    last = now;
    log::info(fmt::format("encoded {} of {} rows in {:.1f} s", done, rows,
                          static_cast<double>(now - start) * 1e-9));
  };
}

}  // namespace scalemark::llm
