// SPDX-License-Identifier: Apache-2.0
// Explains the time of a step by the times of its parts.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/base/step_phase.hpp"
#include "common/predict/op_cost.hpp"

namespace scalemark::predict {

/// Where a time is from: a row of its own, rows of other sizes, or the rates of a machine.
enum class TimeSource { row, interpolation, roofline };

/// An operation of a step, so often, or something that the step recorded itself.
struct StepTerm {
  std::string component, source;
  double count = 1;
  std::optional<double> seconds;  ///< of one, on a GPU that of the GPU alone; empty: not known
  TimeSource from = TimeSource::row;
  std::optional<double> issue = {};  ///< of the host to enqueue one, where a GPU runs it
  std::optional<RooflineTimes> roofline = {};
  StepPhase phase = StepPhase::passes;
};

/// What the host enqueues in a phase.
struct PhaseTimes {
  double issued = 0;  ///< s of the host
  double on_gpu = 0;  ///< s of the GPU
};

/// Time in which a GPU waits for the host's calls: s. The host runs ahead through all phases. So a
/// GPU begins a phase when it has finished the one before, and finishes it no earlier than the host
/// has enqueued its last call.
double exposed_launches(const std::array<PhaseTimes, kStepPhases.size()>& phases);

struct StepComponent {
  std::string name, source;
  double count = 0, seconds = 0;
  std::size_t measured = 0, interpolated = 0, estimated = 0, missing = 0;  ///< terms
  bool enqueued = false;             ///< the host enqueues what a GPU runs
  RooflineTimes roofline = {};       ///< of all operations
  std::size_t without_roofline = 0;  ///< terms

  std::size_t known() const { return measured + interpolated + estimated; }
  /// Which part of the time the rates of the machine would take: "21 % of the memory bandwidth".
  /// Empty where a rate or the work is not known, or where times were estimated by these rates.
  std::string reached() const;
  /// Counts a term whose time is known.
  void count_known(TimeSource from);
};

struct StepExplanation {
  std::vector<StepComponent> components;  ///< the longest first
  double explained = 0, measured = 0;     ///< s
  /// In the order of kStepPhases.
  std::array<PhaseTimes, kStepPhases.size()> phases = {};
  PhaseTimes enqueued() const;  ///< of all phases
  double rest() const { return measured - explained; }
  double share(double seconds) const { return seconds / measured; }
  bool is_complete() const;
  /// The component of that name; null if there is none.
  const StepComponent* find(const std::string& name) const;
};

/// Component of the time of exposed_launches().
inline constexpr const char* kLaunches = "exposed launch time";

/// Adds the terms up by component, one after the other: nothing overlaps but the host's calls and
/// the work that they enqueue (exposed_launches()). `measured`: seconds of the step,
/// positive. Nothing is fitted.
StepExplanation explain_step(const std::vector<StepTerm>& terms, double measured);

/// Seconds of a step that was measured `here` on the machine `there`, where only its parts were.
/// What the parts do not explain here takes as many times longer there as they do. Both must be
/// complete; `there.measured` does not count.
double step_elsewhere(const StepExplanation& here, const StepExplanation& there);

/// How many times longer than `here` the parts take on the machine `there`, but for this component,
/// which is another one's work. Both must be complete.
double factor_elsewhere(const StepExplanation& here, const StepExplanation& there,
                        const std::string& without);

/// What takes most of the step, how much of the machine's rates that reaches, and what would take
/// most if it were gone. Says so where more is unexplained than any component takes, or where rows
/// are missing.
std::string what_bounds(const StepExplanation& step);

}  // namespace scalemark::predict
