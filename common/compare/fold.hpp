// SPDX-License-Identifier: Apache-2.0
// Rows of a comparison put together: by benchmark, and a sweep over sizes as one line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// One line: a row, or a sweep of three and more rows whose keys differ in one numeric axis only.
struct Fold {
  std::string key;   ///< of the row; a sweep has its range there: bytes=8..4194304
  std::string axis;  ///< that the rows differ in; empty for a single row
  std::vector<const CompareRow*> rows;  ///< by the axis, ascending
  /// REGRESSION before INCONCLUSIVE, SAME and IMPROVED, then the one of the highest cost.
  const CompareRow* worst = nullptr;
};

/// The lines of one benchmark with one primary metric.
struct FoldGroup {
  std::string benchmark, metric, unit;
  std::vector<Fold> folds;  ///< worst first

  bool has_sweep() const;
};

/// `rows` are worst first, and so are the groups. The axis is `bytes` where rows differ in it, else
/// the numeric one that leaves fewest lines. With `all` each row keeps its line.
std::vector<FoldGroup> fold_rows(std::span<const CompareRow> rows, bool all);

/// The value of an axis as it stands in a key; empty where the key lacks it.
std::string axis_value(const std::string& key, const std::string& axis);

}  // namespace scalemark::compare
