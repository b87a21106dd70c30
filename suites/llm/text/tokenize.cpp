// SPDX-License-Identifier: Apache-2.0
// Tokenizes many rows on several threads, in order, and counts dropped and cut rows.
#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "common/base/clock.hpp"
#include "suites/llm/text/blanks.hpp"
#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {
namespace {

constexpr std::size_t kRowsAtOnce = 64;
constexpr std::uint64_t kProgressEvery = 200'000'000;  // ns

using Work = std::function<void(std::size_t row, Encoder& encoder)>;

/// Rows handed out in small portions. The first row that failed decides the exception.
class Portions {
 public:
  Portions(std::size_t rows, const Tokenizer& tokenizer, const Work& work)
      : rows_(rows), tokenizer_(tokenizer), work_(work) {}

  /// Works until no row is left; `progress` may be empty.
  void take_part(const Progress& progress) {
    std::size_t row = 0;
    try {
      const std::unique_ptr<Encoder> encoder = tokenizer_.encoder();
      std::uint64_t last = now_ns();
      for (;;) {
        row = next_.fetch_add(kRowsAtOnce);
        if (row >= rows_) return;
        for (const std::size_t end = std::min(row + kRowsAtOnce, rows_); row < end; ++row) {
          work_(row, *encoder);
          ++done_;
        }
        if (progress && now_ns() - last > kProgressEvery) {
          progress(done_, rows_);
          last = now_ns();
        }
      }
    } catch (...) {
      next_ = rows_;
      const std::lock_guard lock(mutex_);
      if (row < failed_row_) {
        failed_row_ = row;
        failure_ = std::current_exception();
      }
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t rows_;
  const Tokenizer& tokenizer_;
  const Work& work_;
  std::atomic<std::size_t> next_{0}, done_{0};
  std::mutex mutex_;
  std::size_t failed_row_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure_;
};

void for_each_row(std::size_t rows, const Tokenizer& tokenizer, const TokenizeOptions& options,
                  const Work& work) {
  Portions portions(rows, tokenizer, work);
  {
    const std::size_t most = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
    std::vector<std::jthread> others;
    for (std::size_t i = 1;
         i < std::min(static_cast<std::size_t>(std::max(options.threads, 1)), most); ++i)
      others.emplace_back([&] { portions.take_part({}); });
    portions.take_part(options.progress);
  }
  portions.rethrow();
  if (options.progress) options.progress(rows, rows);
}

bool has_answer(const Record& record) {
  return std::ranges::any_of(record, [](const Turn& turn) {
    return turn.role == Role::assistant && !stripped(turn.text).empty();
  });
}

void count(const TokenRow& row, TextStatistics& statistics) {
  const std::int64_t labels = count_labels(row.labels);
  ++statistics.rows;
  if (labels == 0) ++statistics.fully_masked;
  if (row.truncated) ++statistics.truncated;
  statistics.tokens += static_cast<std::int64_t>(row.ids.size());
  statistics.labels += labels;
  statistics.longest = std::max(statistics.longest, static_cast<std::int64_t>(row.ids.size()));
}

}  // namespace

std::vector<TokenRow> tokenize(std::span<const Record> records, const Tokenizer& tokenizer,
                               const TokenizeOptions& options, TextStatistics& statistics) {
  std::vector<TokenRow> rows(records.size());
  for_each_row(records.size(), tokenizer, options, [&](std::size_t i, Encoder& encoder) {
    if (!has_answer(records[i])) return;
    rows[i] = lay_out(apply_template(options.form, records[i], options.train_on_input), tokenizer,
                      encoder, options.max_tokens);
  });
  statistics = {.read = static_cast<std::int64_t>(records.size())};
  statistics.empty = static_cast<std::int64_t>(
      std::erase_if(rows, [](const TokenRow& row) { return row.ids.empty(); }));
  for (const TokenRow& row : rows) count(row, statistics);
  return rows;
}

std::vector<PreferenceTokens> tokenize(std::span<const PreferenceRecord> records,
                                       const Tokenizer& tokenizer, const TokenizeOptions& options,
                                       TextStatistics& statistics) {
  std::vector<PreferenceTokens> pairs(records.size());
  for_each_row(records.size(), tokenizer, options, [&](std::size_t i, Encoder& encoder) {
    const Record chosen = chosen_record(records[i]), rejected = rejected_record(records[i]);
    if (!has_answer(chosen) || !has_answer(rejected)) return;
    const auto row_of = [&](const Record& record) {
      return lay_out(apply_template(options.form, record, options.train_on_input), tokenizer,
                     encoder, options.max_tokens);
    };
    pairs[i] = {row_of(chosen), row_of(rejected)};
  });
  statistics = {.read = 2 * static_cast<std::int64_t>(records.size())};
  statistics.empty =
      2 * static_cast<std::int64_t>(std::erase_if(
              pairs, [](const PreferenceTokens& pair) { return pair.chosen.ids.empty(); }));
  for (const PreferenceTokens& pair : pairs) {
    count(pair.chosen, statistics);
    count(pair.rejected, statistics);
  }
  return pairs;
}

}  // namespace scalemark::llm
