// SPDX-License-Identifier: Apache-2.0
// llm/tokenizer: measures the tokenizing rate of rows of text.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/llm/text/case_text.hpp"
#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {
namespace {

/// Text, ids and labels of a synthetic row of the longest data set, with room to spare.
constexpr std::uint64_t kBytesPerRow = 12 << 10;

std::uint64_t text_bytes(const std::vector<Record>& records) {
  std::uint64_t bytes = 0;
  for (const Record& record : records) {
    for (const Turn& turn : record) bytes += turn.text.size() + turn.context.size();
  }
  return bytes;
}

/// Checks that every turn's text is unchanged after encoding and decoding.
Case::Checked check_round_trip(const std::vector<Record>& records, const Tokenizer& tokenizer) {
  Case::Checked result;
  const auto encoder = tokenizer.encoder();
  std::vector<Token> ids;
  for (const Record& record : records) {
    for (const Turn& turn : record) {
      ids.clear();
      encoder->append(turn.text, ids);
      ++result.checked;
      if (tokenizer.decode(ids) != turn.text) ++result.wrong;
    }
  }
  return result;
}

void tokenizer(Case& c) {
  const std::unique_ptr<Tokenizer> encoding = open_tokenizer(c);
  const std::vector<Record> records = load_records(c);
  const Corpus corpus = parse_corpus(c.text("dataset"));
  TokenizeOptions options{.form = natural_template(corpus),
                          .train_on_input = trains_on_input(corpus),
                          .threads = c.hardware().threads(),
                          .progress = show_progress(c)};
  TextStatistics statistics;
  c.phase("encoding");
  tokenize(records, *encoding, options, statistics);
  options.progress = nullptr;  // excluded from the timing
  const auto encode_all = [&] { tokenize(records, *encoding, options, statistics); };
  const auto bytes = static_cast<double>(text_bytes(records));
  c.work({.bytes = bytes, .formula = "bytes of text in the rows' fields / time"});
  c.verify("the text of every turn, encoded and decoded again",
           [&] { return check_round_trip(records, *encoding); });
  c.measure(encode_all, {.metric = "time", .barrier = false, .warmup = 2});
  c.record_rate("tokens_per_second", "{token}/s", "time",
                static_cast<double>(statistics.tokens * c.size()),
                "tokens of all rows, template and headers among them * ranks / time");
  c.fact("text_bytes", static_cast<std::int64_t>(bytes));
  c.fact("rows_read", statistics.read);
  c.fact("tokens", statistics.tokens);
  c.fact("empty_rows", statistics.empty);
}

SCALEMARK_BENCHMARK("llm/tokenizer", tokenizer)
    .doc("Rows of text encoded with their template: bytes and tokens per second")
    .axis("tokenizer", {.values = tokenizer_names()})
    .axis("dataset",
          {.values = {"alpaca", "grammar", "samsum", "slimorca"}, .defaults = {"alpaca"}})
    .axis("source", {.values = text_source_names(), .defaults = {"synthetic"}})
    .axis_integer("rows", {.minimum = 0, .maximum = 10'000'000, .defaults = "5000", .quick = "500"})
    .compute_axes()
    .adjust([](Point& p) { p["device"] = std::string("cpu"); })
    .rank_local()
    .memory([](const Point& p) {
      const auto rows = static_cast<std::uint64_t>(p.integer("rows"));
      return rows * kBytesPerRow + (std::uint64_t{64} << 20);
    });

}  // namespace
}  // namespace scalemark::llm
