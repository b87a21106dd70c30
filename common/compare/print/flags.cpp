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
    {"clock_changed", "the processor's or GPU's clock changed while it was measured"},
    {"clock_step", "the change is no more than one step of the timer"},
    {"config_differs", "measured in another way on the two sides (iterations, timing, checks)"},
    {"few_effective_samples",
     "neighbouring iterations are so alike that they count as fewer than 30"},
    {"invalid", "some iterations were marked as invalid"},
    {"metric_differs", "the sides do not have the same metric and unit"},
    {"missing_runs", "not every run has the case"},
    {"modes_changed", "the times fall into groups whose shares differ between the sides"},
    {"no_direction", "the metric has no better direction, so it is not judged"},
    {"not_steady", "the time still drifted through the first half of the iterations"},
    {"over_single_run_threshold",
     "worse by more than --single-run-threshold, with too few runs to test"},
    {"retried", "some iterations were taken again"},
    {"shift_in_run", "the time changed in the middle of a run and stayed so"},
    {"single_run", "one run on a side: how much runs differ is unknown, so nothing is decided"},
    {"throttled", "the GPU was slowed down for power or heat"},
    {"unusable_value", "a value is zero, negative or no number"},
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
        fmt::format("p=: beyond the threshold, but with so many rows tested this may be chance; p, "
                    "adjusted for their number, must be at most {:g}",
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
