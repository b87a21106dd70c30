// SPDX-License-Identifier: Apache-2.0
// Streams the rows of a JSON list or JSON Lines one at a time, so that large files need little
// memory.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace scalemark::llm {

/// Splits a stream into rows without parsing them: `[row, row]`, or one row per line (empty lines
/// are ignored). The first character decides. Throws InputError, naming `origin` and the line.
class RowReader {
 public:
  RowReader(std::istream& stream, const std::string& origin, std::size_t max_row_bytes);

  /// The next row and the line it begins on; false after the last one.
  bool next(std::string& row, std::size_t& line);

 private:
  enum class Form { unknown, list, lines };
  int peek();
  void take() { take(nullptr); }
  void take(std::string* into);
  void skip_blanks();
  bool next_line(std::string& row, std::size_t& line);
  bool next_element(std::string& row, std::size_t& line);
  void take_element(std::string& row);
  void expect_end();
  [[noreturn]] void fail(const std::string& what) const;

  std::streambuf& bytes_;
  std::istream& stream_;
  std::string origin_;
  std::size_t max_row_bytes_, line_ = 1, rows_ = 0;
  Form form_ = Form::unknown;
  bool ended_ = false;
};

}  // namespace scalemark::llm
