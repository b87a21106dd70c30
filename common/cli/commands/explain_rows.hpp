// SPDX-License-Identifier: Apache-2.0
// The rows of trainings and of their operations, and what they say of a step.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/commands/measured_roofs.hpp"
#include "common/cli/commands/same_machine.hpp"
#include "common/core/benchmark.hpp"
#include "common/predict/step_parts.hpp"

namespace scalemark::cli {

/// Component of the messages that a step waited for, as it recorded them.
inline constexpr const char* kCommunication = "communication";

/// A row of a training whose operations are known.
struct Training {
  const Benchmark* benchmark = nullptr;
  Point point;                  ///< with implied values, and what the workload takes from the row
  std::vector<double> seconds;  ///< of a step, one per run
  std::map<std::string, std::vector<double>> recorded;  ///< s, by metric, one per run
  /// Of each step of all runs, where steps differ. Then the times are means, else medians.
  std::vector<double> sizes;
};

/// The longest component of a step, by rows of another layout of the data.
struct OtherLayout {
  std::string component, layout;
  double seconds = 0;
};

struct Explained {
  predict::StepExplanation step;
  std::optional<OtherLayout> other_layout;  ///< where all its rows are there
  std::vector<WorkloadPart> estimated;      ///< by the roofline: they have no rows
  std::vector<WorkloadPart> missing;        ///< of which nothing is known
  bool has_rows = false;                    ///< some operation is known
};

/// Rows of one machine.
class StepRows {
 public:
  /// Adds the rows of a result file. InputError for one of another machine or of the software GPU.
  void read(const std::filesystem::path& file);
  /// Whether the rows of `run` belong to those of earlier ones.
  bool is_same_machine(const Run& run) { return machine_.difference(run).empty(); }
  void add(const CaseResult& one);
  /// By key.
  const std::map<std::string, Training>& trainings() const { return trainings_; }
  /// Why the operations of other trainings are not known, by key.
  const std::map<std::string, std::string>& unknown_trainings() const { return unknown_; }
  /// s of an operation without a row, on a GPU with what the host takes to enqueue it.
  struct Estimated {
    double seconds = 0;
    std::optional<double> issue = {};
  };
  using Estimate = std::function<std::optional<Estimated>(const WorkloadPart&)>;
  Explained explain(const Training& training, const Estimate& estimate) const;
  /// Estimates by the measured roofs of this machine.
  Explained explain(const Training& training) const;
  /// Estimates by the time on another machine and the roofs of both. The host's calls take as long
  /// as there.
  Explained explain(const Training& training, const StepRows& elsewhere) const;
  /// These rows without those of operations: only the roofs are left.
  StepRows roofs_alone() const;

 private:
  /// Times of an operation, one per run. On a GPU its own time, and the host's to enqueue it.
  struct Row {
    Point point;  ///< with implied values
    std::vector<double> seconds, issue;
  };
  using RowsByKey = std::map<std::string, Row>;

  using Times = std::vector<double> Row::*;
  static std::optional<double> between(const RowsByKey& rows, const Point& wanted, Times times);
  void add_training(const CaseResult& one, const Benchmark& benchmark, Point point, double seconds);
  predict::StepTerm term_of(const WorkloadPart& part) const;
  /// Of all operations of a component; empty if a row is missing.
  std::optional<double> seconds_of(const std::string& component, const Workload& workload) const;
  std::optional<OtherLayout> in_another_layout(const Training& training,
                                               const predict::StepExplanation& step) const;

  std::map<std::string, RowsByKey> rows_;  ///< by benchmark
  std::map<std::string, Training> trainings_;
  std::map<std::string, std::string> unknown_;
  MeasuredRoofs roofs_;
  SameMachine machine_;
};

/// The rows of these files and folders. Throws as StepRows::read().
StepRows read_step_rows(const std::vector<std::string>& paths);

}  // namespace scalemark::cli
