// SPDX-License-Identifier: Apache-2.0
// The legend of a comparison.
#include "common/report/flag_words.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/report/cells.hpp"

namespace scalemark::report {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 17> kWords = {{
    {"clock_changed", "the processor's or GPU's clock changed while it was measured"},
    {"clock_step", "the change is no more than one step of the timer"},
    {"config_differs", "measured in another way on the two sides (iterations, timing, checks)"},
    {"few_effective_samples", "iterations follow one another so closely that they count as few"},
    {"invalid", "some iterations were marked as invalid"},
    {"metric_differs", "the sides do not have the same metric and unit"},
    {"missing_runs", "not every run has the case"},
    {"modes_changed", "the times fall into groups whose shares differ between the sides"},
    {"no_direction", "nobody knows which way is better"},
    {"not_steady", "the level still moved through the first half of the iterations"},
    {"over_single_run_threshold",
     "worse than --single-run-threshold allows where runs are too few"},
    {"retried", "some iterations were taken again"},
    {"shift_in_run", "the level changed in the middle of a run"},
    {"single_run", "one run on a side, which tells nothing of how much runs differ"},
    {"throttled", "the GPU was slowed down for power or heat"},
    {"unusable_value", "a value is zero, negative or no number"},
    {"warmup_short", "the first iterations that count are still on another level"},
}};

}  // namespace

std::vector<std::string> flag_lines(const Comparison& comparison) {
  std::set<std::string> seen;
  bool hopeless = false, counted = false;
  for (const CompareRow& row : comparison.rows) {
    hopeless = hopeless || (row.runs_needed && *row.runs_needed >= kTooManyRuns);
    for (const std::string& flag : row.flags) {
      seen.insert(flag.substr(0, flag.find(':')));
      counted = counted || flag.find(':') != std::string::npos;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [name, words] : kWords) {
    if (seen.contains(name)) lines.push_back(fmt::format("{}: {}", name, words));
  }
  if (counted) lines.emplace_back("FLAG:n: in n of the runs");
  if (hopeless) {
    lines.push_back(
        fmt::format("runs needed {}: the spread of runs is the matter, and more of them no help; "
                    "a quieter machine or a larger --threshold is",
                    needed_runs_cell(kTooManyRuns)));
  }
  return lines;
}

}  // namespace scalemark::report
