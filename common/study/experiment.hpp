// SPDX-License-Identifier: Apache-2.0
// The experiments of the two studies: the settings of each, and its table or figure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalemark::study {

/// A value that an axis has in all of the experiment, or in the rows in which axis `of` has one of
/// `values`. Axes that the study leaves open (batch of image training, loader threads) are no
/// settings.
struct Setting {
  std::string axis{}, value{};
  std::string of = {};
  std::vector<std::string> values = {};
};

/// An axis that the experiment varies. A row of the table has one value of each.
struct RowAxis {
  /// Name of the benchmark's axis, or "gpus": ranks x GPUs of a process
  std::string axis{};
  std::vector<std::string> values{};  ///< those of the study, in its order
};

/// value: the metric itself. speed_up: value of the reference row / value of this row. reduction:
/// 1 - value / value of the reference row. times: value / value of the reference row.
enum class ColumnKind { value, speed_up, reduction, times };

/// A column of the table.
struct TableColumn {
  std::string heading{};
  /// Metrics or numeric facts, which are added. "time_nccl_allgather*" stands for all metrics that
  /// begin so.
  std::vector<std::string> metrics{};
  std::string unit{};  ///< UCUM
  ColumnKind kind = ColumnKind::value;
  /// The reference row has this value of this axis, and else the same; for kinds but value.
  std::string axis{}, reference{};
  /// The study adds up what it measured on all GPUs. Otherwise ranks are reduced as the metric
  /// says.
  bool sum_over_ranks = false;
  bool percent = false;   ///< shown in percent
  int iteration = -1;     ///< of a series, such as the loss of each epoch, from 0; -1: the median
  std::string name = {};  ///< of the published numbers; empty: that of the first metric

  const std::string& published_name() const { return name.empty() ? metrics.front() : name; }
};

/// A table or figure of a study.
struct Experiment {
  std::string id{};         ///< "table-2"
  std::string title{};      ///< "Precisions on 1 to 4 GPUs"
  std::string where{};      ///< "profiling study, Table 2; allocation study, Table 2"
  std::string preset{};     ///< its cases
  std::string published{};  ///< name in results/published/studies.csv
  std::string benchmark{};  ///< "imaging/train"
  bool figure = false;      ///< drawn as bars, too
  std::vector<Setting> settings{};
  std::vector<RowAxis> rows{};
  std::vector<TableColumn> columns{};
  std::string note = {};  ///< what a reader should know; empty = none

  /// Whether a figure has bars of this column: values in the unit of the first one.
  bool draws(const TableColumn& column) const {
    return figure && column.kind == ColumnKind::value && column.unit == columns.front().unit;
  }
};

/// All tables and figures, in the order of the studies.
const std::vector<Experiment>& experiments();
/// Throws UsageError, which lists the ids, for an unknown one.
const Experiment& experiment_of(std::string_view id);

/// The value that a case has on an axis which its key does not name; empty if it is not known. The
/// same as in the benchmarks: otherwise `cli.paper` finds no tables.
std::string_view implied_value(std::string_view axis);

// Parts that both studies' workloads share.
RowAxis one_to_four_gpus();
/// Seconds that the studies' profiler told, over all GPUs.
TableColumn profiled_seconds(std::string heading, std::string metric);
/// The share of the time of a profile, in percent.
TableColumn profiled_share(std::string heading, std::string metric);

// Parts of experiments(), by benchmark.
std::vector<Experiment> imaging_experiments();
std::vector<Experiment> llm_experiments();

}  // namespace scalemark::study
