// SPDX-License-Identifier: Apache-2.0
// Which cases run, in which order: a pure function of registry, request and context.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/policy.hpp"

namespace scalemark {

/// -a/--axis: `[benchmark:]axis=values`.
struct AxisOverride {
  std::string benchmark;  ///< full name; empty = every selected benchmark that has the axis
  std::string axis;
  std::string values;
};
/// Throws UsageError.
AxisOverride parse_override(const std::string& text);
/// Every override must meet one of these benchmarks that has its axis. Throws UsageError.
void check_overrides(const Registry& registry, const std::vector<const Benchmark*>& benchmarks,
                     const std::vector<AxisOverride>& overrides);

/// One block of a preset: a benchmark, its axis values and how to measure it.
struct PresetEntry {
  std::string benchmark;
  std::map<std::string, std::string> axes;  ///< values as on the command line
  PolicyChange policy;
};

/// A named set of benchmarks, axis values and sampling rules, read from a TOML file.
struct Preset {
  std::string name, doc;
  /// Of a preset that repeats an experiment: the table or figure, and the experiment's name in
  /// results/published.
  std::string repeats, experiment;
  std::string format;  ///< how `run` prints it where no --format says otherwise; empty = table
  PolicyChange policy;
  std::vector<PresetEntry> entries;
};

/// What the command line asks to be run.
struct PlanRequest {
  std::vector<std::string>
      filters;  ///< regular expressions searched in suite/name; an exact name selects only itself
  std::optional<Preset> preset;
  std::vector<AxisOverride> overrides;
  bool quick = false;
  SamplingPolicy policy;      ///< base
  PolicyChange command_line;  ///< wins over the preset's
};

/// One entry of the plan: a benchmark at one point, with its sampling rules.
struct PlannedCase {
  const Benchmark* benchmark = nullptr;
  Point params;     ///< all axes
  std::string key;  ///< without implied values
  SamplingPolicy policy;
  std::string config_hash;
};

/// The benchmarks that filters select, by name; all without filters. Throws UsageError for a filter
/// that is no regular expression or matches nothing.
std::vector<const Benchmark*> matching(const Registry& registry,
                                       const std::vector<std::string>& filters);

/// Order: benchmarks as the preset lists them (else by name), axes as declared, last axis fastest.
/// Where blocks of a preset measure sizes of one benchmark apart, an override of `bytes` gives each
/// block the sizes of its range. Ranks "all": those of the job, as far as the benchmark takes them.
/// Throws UsageError for unknown benchmarks, axes and values, with the nearest valid names.
std::vector<PlannedCase> make_plan(const Registry& registry, const PlanRequest& request,
                                   const PlanContext& context);

/// A hash over keys and policies in order; compared over ranks before running.
std::string plan_hash(const std::vector<PlannedCase>& plan);

/// Whether this build measures the case in a job of so many ranks.
bool can_run(const PlannedCase& planned, int ranks);

/// s that a sweep samples the case at most; empty where iterations or the work are given.
std::optional<double> longest_sampling(const PlannedCase& planned);

/// How much there is to do, in words: the upper bound of the sampling time of so many sweeps, from
/// the policies, and the cases that it says nothing of.
std::string estimate(const std::vector<PlannedCase>& plan, int sweeps = 1);

}  // namespace scalemark
