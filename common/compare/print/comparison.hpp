// SPDX-License-Identifier: Apache-2.0
// A comparison as text for people (text, md) and for programs (json, csv, junit).
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

struct ComparePrintOptions {
  bool color = false;     ///< text only
  bool all = false;       ///< text and md: every row by itself, no sweep folded into a line
  std::size_t width = 0;  ///< text: columns of the terminal; 0 = not limited
  bool utf8 = false;      ///< text: whether characters beyond ASCII may be printed
  bool strict = false;    ///< junit: an inconclusive row is skipped; else it passes, and says so
};

/// text, md, json, csv, junit.
std::vector<std::string> compare_formats();

/// Throws UsageError for a format that does not exist.
void print_comparison(const Comparison& comparison, std::string_view format, std::ostream& out,
                      const ComparePrintOptions& options = {});

/// What the comparison came to, in one sentence without a full stop: "new is slower in 2 of 8
/// cases: memcpy 64 MiB h2h +327 %; 6 undecided (5 more runs a side would decide 4 of them, the
/// other 2 need a quieter machine or a larger --threshold)".
std::string summary_sentence(const Comparison& comparison);

/// The document `scalemark-compare`, version 1. Numbers that do not exist are null; `change` and
/// `interval` are fractions of A.
nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace scalemark::compare
