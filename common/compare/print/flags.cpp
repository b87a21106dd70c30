// SPDX-License-Identifier: Apache-2.0
// Explains the flags of a comparison.
#include "common/compare/print/flags.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/text/cells.hpp"

namespace scalemark::compare {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 17> kExplanations = {{
    {"clock_changed", "the CPU or GPU clock changed during the measurement"},
    {"clock_step", "the change is at most one step of the timer"},
    {"config_differs", "measured differently on the two sides (iterations, timing, checks)"},
    {"few_effective_samples",
     "neighbouring iterations are correlated: fewer than 30 effective samples"},
    {"invalid", "some iterations were marked as invalid"},
    {"metric_differs", "the metric or its unit differs between the sides"},
    {"missing_runs", "some runs lack the case"},
    {"modes_changed", "the times have several modes, whose shares differ between the sides"},
    {"no_direction", "the metric has no better direction, so it is not judged"},
    {"not_steady", "the time still drifted through the first half of the iterations"},
    {"over_single_run_threshold",
     "worse by more than --single-run-threshold, with too few runs to test"},
    {"retried", "some iterations were repeated"},
    {"shift_in_run", "the time changed in the middle of a run and stayed changed"},
    {"single_run", "only one run on a side: the noise of its runs is not known"},
    {"throttled", "a CPU or a GPU was slowed down by heat, or a GPU by its board"},
    {"unusable_value", "a value is zero, negative or not a number"},
    {"warmup_short",
     "the first iterations after the warm-up are still slower or faster than the rest"},
}};

}  // namespace

std::vector<std::string> flag_lines(const Comparison& comparison) {
  std::set<std::string> seen;
  bool undecidable = false, counted = false, adjusted = false;
  for (const CompareRow& row : comparison.rows) {
    undecidable = undecidable || (row.runs_needed && *row.runs_needed >= text::kTooManyRuns);
    adjusted = adjusted || (row.verdict == Verdict::inconclusive && row.beyond_threshold);
    for (const std::string& flag : row.flags) {
      seen.insert(flag.substr(0, flag.find(':')));
      counted = counted || flag.find(':') != std::string::npos;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [name, words] : kExplanations) {
    if (seen.contains(name)) lines.push_back(fmt::format("{}: {}", name, words));
  }
  if (counted) lines.emplace_back("FLAG:n: in n of the runs");
  if (adjusted) {
    lines.push_back(
        fmt::format("p=: beyond the threshold, but not significant: p, adjusted for the number of "
                    "rows tested, must be at most {:g}",
                    comparison.options.alpha));
  }
  if (undecidable) {
    lines.push_back(fmt::format(
        "runs needed {}: runs vary too much: more runs will not decide this; quieten the "
        "machine or raise --threshold",
        text::needed_runs_cell(text::kTooManyRuns)));
  }
  return lines;
}

}  // namespace scalemark::compare
