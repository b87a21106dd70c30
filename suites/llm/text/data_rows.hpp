// SPDX-License-Identifier: Apache-2.0
// Rows of the data sets from JSON lists, JSON Lines, CSV and TSV.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "suites/llm/text/conversation.hpp"

namespace scalemark::llm {

struct RowLimits {
  std::size_t rows = 0;  ///< maximum number of rows to read; 0 = all
  std::size_t row_bytes = std::size_t{16} << 20;
  std::size_t all_bytes = std::size_t{8} << 30;  ///< of all rows together
};

/// `path` is a file or a folder as downloaded (row_files()); the form follows from the name.
/// Fields: alpaca instruction, input (may be missing), output; grammar input, output; samsum
/// dialogue, summary; slimorca conversations, a list of {from: system | human | gpt, value}; other
/// fields are ignored. CSV and TSV have them as columns, named by the first line; without such a
/// line their order is the one above. slimorca is JSON only. Throws InputError that names the file,
/// the line where the row begins and what is wrong; UsageError for preference, whose rows are
/// pairs.
std::vector<Record> read_records(const std::filesystem::path& path, Corpus corpus,
                                 const RowLimits& limits = {});
std::vector<Record> parse_records(std::string_view text, const std::string& origin, Corpus corpus,
                                  const RowLimits& limits = {});

/// Fields question, response_j (chosen), response_k (rejected).
std::vector<PreferenceRecord> read_preferences(const std::filesystem::path& path,
                                               const RowLimits& limits = {});

}  // namespace scalemark::llm
