// SPDX-License-Identifier: Apache-2.0
// Arranges the rows of a comparison for display: groups per benchmark, one line per sweep.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// One line: a single row, or a sweep of at least three rows whose keys differ in one numeric axis
/// only.
struct Fold {
  std::string key;   ///< key of the row; for a sweep with the range of its axis: bytes=8..4194304
  std::string axis;  ///< axis of the sweep; empty for a single row
  std::vector<const CompareRow*> rows;  ///< sorted by the axis, ascending
  /// The row with the worst verdict: REGRESSION, INCONCLUSIVE, SAME, IMPROVED; among these the
  /// highest cost.
  const CompareRow* worst = nullptr;
};

/// The lines of one benchmark with the same primary metric.
struct FoldGroup {
  std::string benchmark, metric, unit;
  std::vector<Fold> folds;  ///< worst first

  bool has_sweep() const;
};

/// Groups and folds rows. `rows` must be sorted worst first; groups and lines keep that order. Rows
/// are folded by `bytes` if possible, else by the numeric axis that leaves the fewest lines. `all`:
/// do not fold.
std::vector<FoldGroup> fold_rows(std::span<const CompareRow> rows, bool all);

/// The value of an axis in a key; empty if the key lacks the axis.
std::string axis_value(const std::string& key, const std::string& axis);

}  // namespace scalemark::compare
