// SPDX-License-Identifier: Apache-2.0
// Cutting JSON into rows.
#include "suites/llm/text/row_reader.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::llm {
namespace {

bool is_json_blank(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

RowReader::RowReader(std::istream& stream, const std::string& origin, std::size_t max_row_bytes)
    : bytes_(*stream.rdbuf()),
      stream_(stream),
      origin_(text::printable(origin)),
      max_row_bytes_(max_row_bytes) {}

void RowReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", origin_, line_, what));
}

int RowReader::peek() { return bytes_.sgetc(); }

void RowReader::take(std::string* into) {
  const int c = bytes_.sbumpc();
  if (c == '\n') ++line_;
  if (into == nullptr) return;
  if (into->size() >= max_row_bytes_)
    fail(fmt::format("a row of more than {} bytes", max_row_bytes_));
  into->push_back(static_cast<char>(c));
}

void RowReader::skip_blanks() {
  while (is_json_blank(peek())) take();
}

bool RowReader::next(std::string& row, std::size_t& line) {
  row.clear();
  if (ended_) return false;
  if (form_ == Form::unknown) {
    for (const int mark : {0xEF, 0xBB, 0xBF}) {  // a byte order mark may stand at the start
      if (peek() != mark) break;
      take();
    }
    skip_blanks();
    form_ = peek() == '[' ? Form::list : Form::lines;
  }
  const bool found = form_ == Form::list ? next_element(row, line) : next_line(row, line);
  if (stream_.bad()) fail("cannot be read");
  if (found) ++rows_;
  ended_ = !found;
  return found;
}

bool RowReader::next_line(std::string& row, std::size_t& line) {
  skip_blanks();
  line = line_;
  while (peek() != EOF && peek() != '\n') take(&row);
  return !row.empty();
}

bool RowReader::next_element(std::string& row, std::size_t& line) {
  if (rows_ == 0) {
    take();  // [
    skip_blanks();
    if (peek() == ']') {
      expect_end();
      return false;
    }
  } else {
    skip_blanks();
    if (peek() == ']') {
      expect_end();
      return false;
    }
    if (peek() != ',')
      fail(peek() == EOF ? "the list has no end" : "a comma is missing behind a row");
    take();
    skip_blanks();
  }
  line = line_;
  take_element(row);
  return true;
}

/// Reads up to the closing brace; the contents are left to the parser.
void RowReader::take_element(std::string& row) {
  if (peek() != '{')
    fail(peek() == EOF ? "the list has no end" : "a row is not an object in braces");
  std::size_t depth = 0;
  bool in_text = false;
  do {
    const int c = peek();
    if (c == EOF) fail("the file ends inside a row");
    take(&row);
    if (in_text) {
      if (c == '\\' && peek() != EOF) take(&row);
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  } while (depth > 0);
}

void RowReader::expect_end() {
  take();  // ]
  skip_blanks();
  if (peek() != EOF) fail("more text behind the end of the list");
}

}  // namespace scalemark::llm
