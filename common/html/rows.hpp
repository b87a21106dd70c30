// SPDX-License-Identifier: Apache-2.0
// Cases of all runs joined by key.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/html/extract.hpp"

namespace scalemark::html {

/// A metric of a row, summarised over its runs.
struct RowValue {
  double value = 0;  ///< geometric mean of the runs' medians; for one run its median
  /// One run: confidence interval of its median. Several runs: smallest and largest median.
  double low = 0, high = 0;
  std::size_t n = 0;  ///< iterations, summed over the runs
  std::size_t runs = 0;
};

/// A case over all runs that measured it.
struct Row {
  std::string key, name;
  std::vector<const CaseExtract*> cases;  ///< by run
  std::vector<std::size_t> run_numbers;   ///< run number of each case, from 0

  bool ok() const;
  /// The first case with status ok. Call only if ok().
  const CaseExtract& sample() const;
  RowValue value(std::string_view metric) const;
};

/// Rows in the order of the first run that has them.
std::vector<Row> join_rows(std::span<const RunExtract> runs);

/// The rows of one benchmark, and the axes on which they agree.
struct Group {
  std::string name;
  std::map<std::string, std::string> constants;
  std::vector<std::string> axes;  ///< axes that differ between rows, in the order of the key
  std::vector<const Row*> rows;

  /// "ranks=2 threads=1".
  std::string constants_text() const;
  /// The differing axes of a row, except `without`: "backend=mpi memory=host".
  std::string label(const Row& row, std::string_view without = {}) const;
};

/// Groups of rows that were measured, in order of appearance.
std::vector<Group> group_rows(const std::vector<Row>& rows);

/// Orders texts by the numbers in them: ranks=2 before ranks=16.
struct ByNumbers {
  bool operator()(std::string_view left, std::string_view right) const;
};

/// The value of an axis; empty if the row has none.
std::string axis_of(const Row& row, const std::string& axis);

}  // namespace scalemark::html
