// SPDX-License-Identifier: Apache-2.0
// The cases of all runs, joined by their key.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/html/extract.hpp"

namespace scalemark::html {

/// A metric of a row over its runs.
struct RowValue {
  double value = 0;  ///< geometric mean of the runs' medians; the median itself of one run
  /// One run: the interval of its median; several: from the least median to the largest.
  double low = 0, high = 0;
  std::size_t n = 0;  ///< iterations of all runs
  std::size_t runs = 0;
};

/// A case over all runs that have it.
struct Row {
  std::string key, name;
  std::vector<const CaseExtract*> cases;  ///< by run
  std::vector<std::size_t> run_numbers;   ///< of each, from 0

  bool ok() const;
  /// The first case that is ok; nothing else may be asked of a row without one.
  const CaseExtract& sample() const;
  RowValue value(std::string_view metric) const;
};

/// Rows in the order of the first run that has them.
std::vector<Row> join_rows(std::span<const RunExtract> runs);

/// The rows of one benchmark, with what is equal in all of them.
struct Group {
  std::string name;
  std::map<std::string, std::string> constants;
  std::vector<std::string> axes;  ///< those that differ, in the order of the key
  std::vector<const Row*> rows;

  /// "ranks=2 threads=1".
  std::string constants_text() const;
  /// The axes that differ of a row but `without`: "backend=mpi memory=host".
  std::string label(const Row& row, std::string_view without = {}) const;
};

/// Groups of rows with a result, in order of appearance.
std::vector<Group> group_rows(const std::vector<Row>& rows);

/// Orders texts with the numbers in them by size: ranks=2 before ranks=16.
struct ByNumbers {
  bool operator()(std::string_view left, std::string_view right) const;
};

/// The value of an axis; empty if the row has none.
std::string axis_of(const Row& row, const std::string& axis);

}  // namespace scalemark::html
