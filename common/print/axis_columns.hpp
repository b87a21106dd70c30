// SPDX-License-Identifier: Apache-2.0
// The axes of all cases of a run as columns of a CSV file, behind those that every file has.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/point.hpp"

namespace scalemark::print {

class AxisColumns {
 public:
  AxisColumns() = default;
  /// The axes that stand in the keys, by name. `header` is the file's line of columns so far: an
  /// axis with one of its names becomes "axis_NAME".
  AxisColumns(const std::vector<std::string>& keys, std::string_view header);
  /// ",bytes,ranks"
  const std::string& header() const { return header_; }
  /// ",8,2"; empty cells for the axes that a case does not have.
  std::string cells(const Point& point) const;

 private:
  std::set<std::string> axes_;
  std::string header_;
};

}  // namespace scalemark::print
