// SPDX-License-Identifier: Apache-2.0
// Prints tables of the studies.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "common/study/table.hpp"

namespace scalemark::study {

/// "table", "markdown", "csv", "json"
const std::vector<std::string>& study_formats();

struct StudyPrint {
  std::string format = "table";
  std::size_t width = 0;  ///< columns of the terminal; 0 = no limit
  bool utf8 = true;       ///< bars of blocks, otherwise of #
};

/// The list of tables and figures, with the preset that repeats each.
void print_experiments(const StudyPrint& how, std::ostream& out);

/// Tables; under a figure's table its bars.
void print_tables(const std::vector<StudyTable>& tables, const StudyPrint& how, std::ostream& out);

/// A table as cells of plain text: each column of the experiment, beside it the published numbers
/// and the ratio if it has any, and the state of rows that were not measured.
struct StudyCells {
  struct Header {
    std::string text;
    bool number = false;
  };
  std::vector<Header> headers;
  std::vector<std::vector<std::string>> rows;
};
StudyCells cells_of(const StudyTable& table);

/// A number of a column with its unit, or in percent: "2.094 ks", "99.43 %".
std::string number_text(const TableColumn& column, double value);
/// What to run for the rows of the study that are missing; empty if none is.
std::string how_to_run(const StudyTable& table);
/// In which settings the cases differ from the study, in one line; empty if in none.
std::string differences_text(const StudyTable& table);

}  // namespace scalemark::study
