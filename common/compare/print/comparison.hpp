// SPDX-License-Identifier: Apache-2.0
// Prints a comparison for people (text, md) and for programs (json, csv, junit).
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// Options of the formats.
struct ComparePrintOptions {
  bool color = false;     ///< text only
  bool all = false;       ///< text and md: print each row; do not fold sweeps
  std::size_t width = 0;  ///< text: width of the terminal in columns; 0 = no limit
  bool utf8 = false;      ///< text: use characters beyond ASCII
  bool strict = false;    ///< junit: inconclusive rows count as skipped instead of passed
};

/// Names of the formats: text, md, json, csv, junit.
std::vector<std::string> compare_formats();

/// Prints a comparison. Throws UsageError for an unknown format.
void print_comparison(const Comparison& comparison, std::string_view format, std::ostream& out,
                      const ComparePrintOptions& options = {});

/// Summarises the result in one sentence without a full stop. Example:
/// "new is slower in 2 of 8 cases: memcpy 64 MiB h2h +327 %; 6 undecided (5 more runs per side
/// would decide them)".
std::string summary_sentence(const Comparison& comparison);

/// The JSON document `scalemark-compare`, version 1. Unknown numbers are null; `change` and
/// `interval` are fractions of A.
nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace scalemark::compare
