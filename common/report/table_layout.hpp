// SPDX-License-Identifier: Apache-2.0
// What stands in the columns of the result table.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/report/printer.hpp"
#include "common/result/model.hpp"

namespace scalemark::report {

/// The unit of a column and how many SI units it is: {"us", 1e-6}.
struct DisplayUnit {
  std::string symbol;
  double factor = 1;
};
/// A readable unit for values of UCUM unit `unit` about as large as `typical`.
DisplayUnit display_unit(std::string_view unit, double typical);

struct AxisColumn {
  std::string axis;
  std::size_t width = 0;
  bool numeric = true;
};

/// The rows of one benchmark: axes that are equal in all of them stand in the title.
struct GroupLayout {
  std::string title;
  std::map<std::string, std::string> constants;
  std::vector<AxisColumn> axes;

  /// Whether the title is true of a case: it has the constants.
  bool suits(const CaseResult& result) const;
};

/// Layouts by benchmark name, from the keys of all rows to come.
std::map<std::string, GroupLayout> layouts_of(const std::vector<std::string>& keys);

/// The layout for a case that no key announced: every axis has a column.
GroupLayout layout_of(const CaseResult& result);

struct MetricColumn {
  std::string metric;
  std::string header;  ///< name and unit
  DisplayUnit unit;
  std::size_t width = 0;
  bool interval = false;  ///< followed by the interval's column
};

/// Columns for the metrics of a case: the primary one first, with its interval, then the part of
/// the peak in percent and as many others as fit into `width` (0 = no limit); `left_out` counts the
/// rest.
std::vector<MetricColumn> metric_columns(const CaseResult& result, std::size_t width,
                                         std::size_t& left_out);

/// `value` in the unit of the column, by `decimals` or with four significant digits.
std::string metric_cell(double value, const DisplayUnit& unit, std::optional<int> decimals);

}  // namespace scalemark::report
