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

/// A metric that a table may show.
struct ShownMetric {
  std::string name, unit;
  double typical = 0;  ///< decides the unit that is printed
};

/// Metrics about the measuring itself (timer_cost, first_call): csv and json carry them.
bool is_bookkeeping(std::string_view metric);

/// The primary metric of a case first, then the part of the peak, which is narrow, then the others
/// without bookkeeping.
std::vector<ShownMetric> shown_metrics(const CaseResult& result);

struct MetricColumn {
  std::string metric;
  std::string header;  ///< name and unit
  DisplayUnit unit;
  std::size_t width = 0;
};

/// Columns that follow the primary metric, in two forms; 0 = none.
struct SpreadWidths {
  std::size_t wide = 0, narrow = 0;
};

struct MetricLayout {
  std::vector<MetricColumn> columns;  ///< the primary metric first
  std::size_t left_out = 0;           ///< metrics without a column
  bool narrow = false;                ///< what follows the primary metric takes its narrow form
  std::size_t count_width = 0;        ///< of the last column
  std::size_t used = 0;               ///< columns of the terminal, with blanks and the count
};

/// As many of the metrics as fit into `width` (0 = no limit) beside their number of iterations or
/// runs. `bandwidth`, or else the second metric, is kept before the others: where the wide form of
/// `spread` leaves no room for it, the narrow one is taken.
MetricLayout metric_layout(const std::vector<ShownMetric>& metrics, std::size_t width,
                           const SpreadWidths& spread);

/// `value` in the unit of the column, by `decimals` or with four significant digits.
std::string metric_cell(double value, const DisplayUnit& unit, std::optional<int> decimals);

/// A fraction in percent, at most five characters: "1.2 %", "35 %", ">999 %"; "-" for NaN.
std::string percent_cell(double fraction);

}  // namespace scalemark::report
