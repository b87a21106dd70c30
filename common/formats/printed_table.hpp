// SPDX-License-Identifier: Apache-2.0
// Helpers shared by the importers of printed tables.
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

/// A cell of another program's table with its column name.
struct Cell {
  std::string_view column, text;
};

/// Another program's test name in lower case; each run of other characters than letters and digits
/// becomes one _.
std::string snake_case(std::string_view text);

/// Scalemark's name of an MPI type: fp32 for MPI_FLOAT.
std::string type_of_mpi(std::string_view type);

/// Adds a cell as a metric. Throws InputError at `lines` if it is not a number.
Metric& add_cell(CaseResult& result, const Quantity& quantity, const Cell& cell,
                 const Lines& lines);

/// The cell as an integer from 0 to `most`. Throws InputError at `lines` otherwise.
std::int64_t count_of(const Cell& cell, std::int64_t most, const Lines& lines);

/// Reports a line outside tables as a note. Marks the run incomplete if the line contains "error"
/// or "abort".
void take_foreign_line(std::string_view line, const Lines& lines, Run& run,
                       const ImportTaker& taker);

/// Sets key and configuration hash from name and parameters.
void set_key(CaseResult& result);

/// Stores the other program's data verification; the case fails if it found errors.
void set_verification(CaseResult& result, bool correct, const char* rule);

}  // namespace scalemark::formats
