// SPDX-License-Identifier: Apache-2.0
// The CSV columns of axes, which follow the columns that every file has.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/point.hpp"

namespace scalemark::print {

/// Columns of all axes that occur in a run.
class AxisColumns {
 public:
  AxisColumns() = default;
  /// Collects the axes in the keys, sorted by name. `header`: the columns that precede them; an
  /// axis with the name of one of these becomes "axis_NAME".
  AxisColumns(const std::vector<std::string>& keys, std::string_view header);
  /// The header cells, with a leading comma: ",bytes,ranks".
  const std::string& header() const { return header_; }
  /// The cells of a case, with a leading comma: ",8,2". Axes that the case does not have are empty.
  std::string cells(const Point& point) const;

 private:
  std::set<std::string> axes_;
  std::string header_;
};

}  // namespace scalemark::print
