// SPDX-License-Identifier: Apache-2.0
// Streams the rows of a table in text, one at a time: CSV, and tab-separated values.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace scalemark::llm {

enum class TableForm { csv, tsv };

/// Cuts a stream into rows of cells. CSV is that of RFC 4180: a cell in quotation marks may hold
/// commas, line ends and doubled marks. In TSV a quotation mark is a character like any other.
/// Empty lines are ignored, as is a byte order mark. Throws InputError, naming `origin` and the
/// line.
class TableReader {
 public:
  TableReader(std::istream& stream, const std::string& origin, TableForm form,
              std::size_t max_row_bytes);

  /// The next row and the line it begins on; false after the last one.
  bool next(std::vector<std::string>& cells, std::size_t& line);

 private:
  int take();
  bool take_cell(std::string& cell);
  void take_quoted(std::string& cell);
  [[noreturn]] void fail(const std::string& what) const;

  std::streambuf& bytes_;
  std::istream& stream_;
  std::string origin_;
  TableForm form_;
  std::size_t max_row_bytes_, taken_ = 0, line_ = 1;
  bool begun_ = false;
};

}  // namespace scalemark::llm
