// SPDX-License-Identifier: Apache-2.0
// A/A test: splits runs of the same machine into two sides many times and compares each split. All
// differences found are false, so they show the noise floor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// Limits of the A/A test.
struct SelfTestOptions {
  CompareOptions compare;
  /// If there are more ways to split, this many are drawn at random.
  std::size_t max_splits = 200;
  /// Limit of rows x splits. Large tables get fewer splits, but at least 20.
  std::size_t max_tests = 100000;
  std::uint64_t seed = 1;  ///< seed of the random draw
};

/// One case over all splits.
struct SelfTestRow {
  std::string key, metric;
  std::size_t tests = 0;           ///< splits in which the case could be tested
  std::size_t false_verdicts = 0;  ///< splits with verdict REGRESSION or IMPROVED
  std::size_t raw = 0;             ///< splits whose 95 % interval excludes "no change"
  double largest = 0;              ///< largest relative change of the cost in either direction
  double spread = 0;  ///< standard deviation of ln(value) between runs, moderated; NaN if unknown
  double detectable = 0;  ///< change that as many new runs detect with 80 % power; NaN if unknown
};

/// Result of the A/A test.
struct SelfTest {
  std::size_t runs = 0, runs_a = 0, runs_b = 0;  ///< all runs, and runs per side of a split
  std::size_t splits = 0;
  bool all_ways = true;          ///< all balanced splits were compared
  std::size_t false_tables = 0;  ///< splits with at least one false verdict
  std::size_t false_verdicts = 0;
  std::size_t raw = 0, tests = 0;                           ///< sums over rows and splits
  std::vector<SelfTestRow> rows;                            ///< most false verdicts first
  std::vector<std::string> failed;                          ///< cases that failed in any run
  std::vector<std::string> incomplete;                      ///< cases that some runs lack
  std::vector<EnvironmentDifference> environment;           ///< first run against the others
  std::vector<EnvironmentDifference> environment_one_side;  ///< facts known to one of these only
  std::vector<std::string> notes;
  double typical_spread = 0, detectable = 0;  ///< medians over rows
  std::string method;                         ///< tests used in the split with the most tests
  CompareOptions options;

  /// Fraction of splits with a false verdict.
  double false_table_rate() const;
  double raw_rate() const;  ///< fraction of raw rejections; NaN without tests
};

/// Runs the A/A test. Throws UsageError for fewer than four runs, or a run given twice.
SelfTest self_test(std::vector<RunDigest> runs, const SelfTestOptions& options = {});

}  // namespace scalemark::compare
