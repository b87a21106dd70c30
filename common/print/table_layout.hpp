// SPDX-License-Identifier: Apache-2.0
// What stands in the columns of the result table.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/print/printer.hpp"
#include "common/result/model.hpp"
#include "common/text/display_unit.hpp"

namespace scalemark::print {

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
  text::DisplayUnit unit;
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

}  // namespace scalemark::print
