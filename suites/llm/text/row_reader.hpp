// SPDX-License-Identifier: Apache-2.0
// Rows of a JSON list or of JSON Lines as texts, one at a time, so that a large file costs no
// memory.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace scalemark::llm {

/// Cuts a stream into rows without reading them further: `[row, row]`, or a row a line (empty lines
/// do not count). The first character decides. Throws InputError that names `origin` and the line.
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
