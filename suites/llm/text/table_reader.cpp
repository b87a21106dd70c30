// SPDX-License-Identifier: Apache-2.0
// Cutting CSV and TSV into rows of cells.
#include "suites/llm/text/table_reader.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::llm {

TableReader::TableReader(std::istream& stream, const std::string& origin, TableForm form,
                         std::size_t max_row_bytes)
    : bytes_(*stream.rdbuf()),
      stream_(stream),
      origin_(text::printable(origin)),
      form_(form),
      max_row_bytes_(max_row_bytes) {}

void TableReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", origin_, line_, what));
}

int TableReader::take() {
  const int c = bytes_.sbumpc();
  if (c == '\n') ++line_;
  if (++taken_ > max_row_bytes_) fail(fmt::format("a row of more than {} bytes", max_row_bytes_));
  return c;
}

/// Up to the closing mark, which is taken, too.
void TableReader::take_quoted(std::string& cell) {
  const std::size_t begun = line_;
  for (int c = take(); c != EOF; c = take()) {
    if (c != '"') {
      cell += static_cast<char>(c);
    } else if (bytes_.sgetc() == '"') {
      cell += static_cast<char>(take());
    } else {
      return;
    }
  }
  line_ = begun;
  fail("a quotation mark is not closed");
}

/// Takes a cell and what ends it; whether a further cell follows in the row.
bool TableReader::take_cell(std::string& cell) {
  const char separator = form_ == TableForm::csv ? ',' : '\t';
  const bool quoted = form_ == TableForm::csv && bytes_.sgetc() == '"';
  if (quoted) {
    take();
    take_quoted(cell);
  }
  while (true) {
    const int c = take();
    if (c == separator) return true;
    if (c == EOF || c == '\n') return false;
    if (c == '\r' && (bytes_.sgetc() == '\n' || bytes_.sgetc() == EOF)) continue;
    if (quoted) fail("text behind a closing quotation mark");
    cell += static_cast<char>(c);
  }
}

bool TableReader::next(std::vector<std::string>& cells, std::size_t& line) {
  if (!begun_) {
    for (const int mark : {0xEF, 0xBB, 0xBF}) {
      if (bytes_.sgetc() != mark) break;
      bytes_.sbumpc();
    }
    begun_ = true;
  }
  while (bytes_.sgetc() != EOF) {
    line = line_;
    taken_ = 0;
    cells.assign(1, {});
    while (take_cell(cells.back())) cells.emplace_back();
    if (stream_.bad()) fail("cannot be read");
    if (cells.size() > 1 || !cells.front().empty()) return true;
  }
  return false;
}

}  // namespace scalemark::llm
