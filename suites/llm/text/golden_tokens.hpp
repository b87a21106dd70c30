// SPDX-License-Identifier: Apache-2.0
// What the parts of golden topic "tokens" share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/golden/field.hpp"
#include "common/golden/report.hpp"
#include "suites/llm/text/token_rows.hpp"

namespace scalemark::llm {

/// Tolerance of digests, for rounding of their weighted sums only: one wrong integer changes them
/// by far more. Edge values must be equal.
constexpr double kDigestRounding = 1e-14;

/// A tokenizer, or the reason why it is missing.
struct GoldenTokenizer {
  std::unique_ptr<Tokenizer> tokenizer;
  std::string missing;
};

struct TokenContext {
  const golden::Options& options;
  golden::Report& report;
  GoldenTokenizer real, small;

  /// Whether the tokenizer is available; if not, reports so for `item`.
  bool has(const GoldenTokenizer& wanted, const std::string& item) const;
  /// Equal to a list of ids, or to a digest of them.
  void ids(const golden::Field& want, std::span<const Token> got) const;
  /// Equal to a list of integers.
  void integers(const golden::Field& want, std::span<const std::int64_t> got) const;
  void integer(const golden::Field& want, std::int64_t got) const;
};

/// An integer of the file; throws InputError, naming the field, if it is out of bounds.
std::int64_t bounded(const golden::Field& field, std::int64_t low, std::int64_t high);

/// Sections of rows (alpaca..., grammar..., summarize..., chat...), and preference pairs.
void check_rows(const golden::Field& file, const TokenContext& context);
void check_preference(const golden::Field& part, const TokenContext& context);
/// Made of the rows of section `alpaca`.
void check_batches(const golden::Field& file, const TokenContext& context);

}  // namespace scalemark::llm
