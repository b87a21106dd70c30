// SPDX-License-Identifier: Apache-2.0
// What the importers of printed tables share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/formats/importers.hpp"
#include "common/formats/input.hpp"
#include "common/formats/quantity.hpp"

namespace scalemark::formats {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMaxRanks = 100'000'000;

/// A column of a row of another program's table.
struct Cell {
  std::string_view column, text;
};

/// The name of a test of another program as a benchmark's: letters and digits in lower case, all
/// else becomes one _.
std::string snake_case(std::string_view text);

/// Our name of one of MPI's types: fp32 of MPI_FLOAT.
std::string type_of_mpi(std::string_view type);

/// Adds the decimal of a cell as a metric; fails at `lines` if it is none.
Metric& add_cell(CaseResult& result, const Quantity& quantity, const Cell& cell,
                 const Lines& lines);

/// The count of a cell, or an error at `lines`.
std::int64_t count_of(const Cell& cell, std::int64_t most, const Lines& lines);

/// A line of text where a table was expected: noted, and the run is not complete if it speaks of an
/// error.
void take_foreign_line(std::string_view line, const Lines& lines, Run& run,
                       const ImportTaker& taker);

/// Key and configuration of a case whose name and parameters are known.
void set_key(CaseResult& result);

/// The row's check of its data by the other program; the case has failed if it found a mistake.
void set_verification(CaseResult& result, bool correct, const char* rule);

}  // namespace scalemark::formats
