// SPDX-License-Identifier: Apache-2.0
// A/A test: runs of one machine split into two sides again and again, each split compared as if the
// sides were different machines. Whatever is found is false: the noise floor of these runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

struct SelfTestOptions {
  CompareOptions compare;
  std::size_t most_splits = 200;  ///< with more ways to split, so many of them are drawn
  /// Rows times splits: with more rows fewer splits are drawn, though 20 at least.
  std::size_t most_tests = 100000;
  std::uint64_t seed = 1;  ///< of the draw
};

/// One case over all splits.
struct SelfTestRow {
  std::string key, metric;
  std::size_t tests = 0;           ///< splits in which it could be tested
  std::size_t false_verdicts = 0;  ///< splits that called it REGRESSION or IMPROVED
  std::size_t raw = 0;             ///< splits whose 95 % interval leaves out "no change"
  double largest = 0;              ///< largest change of the cost, either way; a fraction
  double spread = 0;      ///< standard deviation of the logarithm over runs, moderated; or NaN
  double detectable = 0;  ///< change that as many new runs would find with 80 % power; or NaN
};

struct SelfTest {
  std::size_t runs = 0, runs_a = 0, runs_b = 0;  ///< runs in all, and of each side of a split
  std::size_t splits = 0;
  bool all_ways = true;          ///< no other balanced split exists
  std::size_t false_tables = 0;  ///< splits with a false verdict
  std::size_t false_verdicts = 0;
  std::size_t raw = 0, tests = 0;                           ///< sums over rows and splits
  std::vector<SelfTestRow> rows;                            ///< those that alarm most first
  std::vector<std::string> failed;                          ///< cases that failed in a run
  std::vector<std::string> incomplete;                      ///< cases that not all runs have
  std::vector<EnvironmentDifference> environment;           ///< the first run against the others
  std::vector<EnvironmentDifference> environment_one_side;  ///< of these, known to one of them only
  std::vector<std::string> notes;
  double typical_spread = 0, detectable = 0;  ///< of the middle row
  std::string method;                         ///< of the split with the most tests
  CompareOptions options;

  double false_table_rate() const;
  double raw_rate() const;  ///< NaN without a test
};

/// Throws UsageError for fewer than four runs and for a run that was given twice.
SelfTest self_test(std::vector<RunDigest> runs, const SelfTestOptions& options = {});

}  // namespace scalemark::compare
