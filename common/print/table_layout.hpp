// SPDX-License-Identifier: Apache-2.0
// Chooses the columns of result tables.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/print/printer.hpp"
#include "common/result/model.hpp"
#include "common/text/display_unit.hpp"

namespace scalemark::print {

/// A column with the values of an axis.
struct AxisColumn {
  std::string axis;
  std::size_t width = 0;
  bool numeric = true;
};

/// Layout of a benchmark's rows. Axes with the same value in all rows are part of the title.
struct GroupLayout {
  std::string title;
  std::map<std::string, std::string> constants;
  std::vector<AxisColumn> axes;

  /// Whether a case has the axis values given in the title.
  bool suits(const CaseResult& result) const;
};

/// Layouts by benchmark name. `keys`: keys of all planned rows.
std::map<std::string, GroupLayout> layouts_of(const std::vector<std::string>& keys);

/// Layout of a case whose key was not planned: every axis has a column.
GroupLayout layout_of(const CaseResult& result);

/// A metric that a table can show.
struct ShownMetric {
  std::string name, unit;
  double typical = 0;  ///< typical value, decides the displayed unit
};

/// Whether a metric describes the measurement itself (timer_cost, first_call). Only csv and json
/// show these.
bool is_bookkeeping(std::string_view metric);

/// Metrics of a case for a table, without bookkeeping: the primary metric, the fraction of the
/// peak, all others.
std::vector<ShownMetric> shown_metrics(const CaseResult& result);

/// A column with the values of a metric.
struct MetricColumn {
  std::string metric;
  std::string header;  ///< name and unit
  text::DisplayUnit unit;
  std::size_t width = 0;
};

/// Widths of the interval or spread cells after the primary metric, in wide and narrow form; 0 =
/// none.
struct SpreadWidths {
  std::size_t wide = 0, narrow = 0;
};

/// The metric columns of a table.
struct MetricLayout {
  std::vector<MetricColumn> columns;  ///< primary metric first
  std::size_t left_out = 0;           ///< number of metrics without a column
  bool narrow = false;                ///< the cells after the primary metric have their narrow form
  std::size_t count_width = 0;        ///< width of the last column, n or runs
  std::size_t used = 0;               ///< width of all these columns with gaps, in characters
};

/// Chooses as many metrics as fit into `width` columns (0 = no limit), next to the count of
/// iterations or runs. `bandwidth`, or else the second metric, has priority. If it does not fit
/// with the wide form of `spread`, the narrow form is used.
MetricLayout metric_layout(const std::vector<ShownMetric>& metrics, std::size_t width,
                           const SpreadWidths& spread);

}  // namespace scalemark::print
