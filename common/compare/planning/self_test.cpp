// SPDX-License-Identifier: Apache-2.0
// Splits runs, compares the parts and counts false verdicts.
#include "common/compare/planning/self_test.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/compare/planning/noise.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/shuffle.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kMinRuns = 4;

/// Per run: true = side A.
using Split = std::vector<bool>;

/// The number of ways to choose `a` of `n` runs; a split and its mirror image count once. `limit` +
/// 1 if there are more than `limit`.
std::size_t count_splits(std::size_t n, std::size_t a, std::size_t limit) {
  double ways = 1;
  for (std::size_t i = 1; i <= a; ++i) {
    ways *= static_cast<double>(n - a + i) / static_cast<double>(i);
  }
  if (2 * a == n) ways /= 2;
  const double rounded = std::round(ways);
  return rounded > static_cast<double>(limit) ? limit + 1 : static_cast<std::size_t>(rounded);
}

/// Of an equal split and its mirror image, the one with the first run in A.
Split canonical(Split split, std::size_t a) {
  if (2 * a == split.size() && !split.front()) split.flip();
  return split;
}

/// Number of splits, reduced for large tables to limit the time.
std::size_t limit_of(const std::vector<RunDigest>& runs, const SelfTestOptions& options) {
  constexpr std::size_t kFewestSplits = 20;
  std::size_t rows = 1;
  for (const RunDigest& run : runs) rows = std::max(rows, run.rows.size());
  return std::clamp(options.max_tests / rows, std::min(kFewestSplits, options.max_splits),
                    options.max_splits);
}

std::vector<Split> splits_of(std::size_t n, std::size_t a, std::size_t most, std::uint64_t seed,
                             bool& all_ways) {
  Split split(n, false);
  std::fill(split.begin(), split.begin() + static_cast<std::ptrdiff_t>(a), true);
  std::set<Split> splits;
  all_ways = count_splits(n, a, most) <= most;
  if (all_ways) {
    do {
      splits.insert(canonical(split, a));
    } while (std::prev_permutation(split.begin(), split.end()));
  } else {
    std::mt19937_64 random(seed);
    while (splits.size() < most) {
      stats::shuffle(split, random);
      splits.insert(canonical(split, a));
    }
  }
  return {splits.begin(), splits.end()};
}

void count_row(const CompareRow& row, SelfTestRow& counts) {
  counts.metric = row.metric;
  if (std::isfinite(row.change)) {
    counts.largest = std::max(counts.largest, std::expm1(std::abs(std::log1p(row.change))));
  }
  if (!std::isfinite(row.low)) return;
  ++counts.tests;
  if (row.verdict == Verdict::regression || row.verdict == Verdict::improved)
    ++counts.false_verdicts;
  if (row.low > 0 || row.high < 0) ++counts.raw;
}

/// Describes the tests used. They differ between splits if runs have different cases.
class Methods {
 public:
  void add(const Comparison& comparison) {
    const auto is_tested = [](const CompareRow& row) { return std::isfinite(row.low); };
    const auto tests = static_cast<std::size_t>(std::ranges::count_if(comparison.rows, is_tested));
    if (text_.empty() || tests > largest_) text_ = comparison.method;
    largest_ = std::max(largest_, tests);
    smallest_ = std::min(smallest_, tests);
  }
  /// The method of the split with the most tests.
  std::string text() const {
    if (smallest_ >= largest_) return text_;
    return fmt::format("{} (the split with most tests, {}; others have fewer, down to {})", text_,
                       largest_, smallest_);
  }

 private:
  std::string text_;
  std::size_t largest_ = 0, smallest_ = std::numeric_limits<std::size_t>::max();
};

/// Compares all splits. Swaps runs within the vector instead of copying them.
std::map<std::string, SelfTestRow> compare_splits(std::vector<RunDigest>& runs,
                                                  const std::vector<Split>& splits,
                                                  SelfTest& result) {
  std::map<std::string, SelfTestRow> rows;
  Methods methods;
  std::vector<std::size_t> at(runs.size());  // index of the run at each position
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = i;
  for (const Split& split : splits) {
    std::vector<std::size_t> order;
    for (const bool side : {true, false}) {
      for (std::size_t i = 0; i < split.size(); ++i) {
        if (split[i] == side) order.push_back(i);
      }
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto place = std::find(at.begin(), at.end(), order[i]) - at.begin();
      std::swap(runs[i], runs[static_cast<std::size_t>(place)]);
      std::swap(at[i], at[static_cast<std::size_t>(place)]);
    }
    const std::span<const RunDigest> all = runs;
    const Comparison comparison =
        compare(all.first(result.runs_a), all.subspan(result.runs_a), result.options);
    methods.add(comparison);
    std::size_t wrong = 0;
    for (const CompareRow& row : comparison.rows) {
      count_row(row, rows[row.key]);
      if (row.verdict == Verdict::regression || row.verdict == Verdict::improved) ++wrong;
    }
    result.false_verdicts += wrong;
    if (wrong > 0) ++result.false_tables;
  }
  result.method = methods.text();
  return rows;
}

/// Adds the noise between runs to the rows and sorts them.
void finish_rows(std::map<std::string, SelfTestRow> counts, const Noise& noise, SelfTest& result) {
  const int runs = static_cast<int>(result.runs);
  std::map<std::string, const RowNoise*> spreads;
  for (const RowNoise& row : noise.rows) spreads.emplace(row.key, &row);
  std::vector<double> detectable;
  for (auto& [key, row] : counts) {
    row.key = key;
    const auto found = spreads.find(key);
    row.spread = row.detectable = stats::kNan;
    if (found != spreads.end()) {
      row.spread = std::sqrt(found->second->variance);
      row.detectable = detectable_change(*found->second, noise, runs, runs,
                                         result.options.threshold, result.options.alpha);
      detectable.push_back(row.detectable);
    }
    result.raw += row.raw;
    result.tests += row.tests;
    result.rows.push_back(std::move(row));
  }
  result.typical_spread = noise.typical;
  result.detectable = stats::median(detectable);
  std::stable_sort(result.rows.begin(), result.rows.end(), [](const auto& x, const auto& y) {
    if (x.false_verdicts != y.false_verdicts) return x.false_verdicts > y.false_verdicts;
    return x.raw != y.raw ? x.raw > y.raw : x.largest > y.largest;
  });
}

/// Collects incomplete runs, failed or missing cases, and differences of the environment.
void inspect_runs(const std::vector<RunDigest>& runs, SelfTest& result) {
  std::map<std::string, std::size_t> ok;
  std::set<std::string> failed, keys;
  for (const RunDigest& run : runs) {
    if (!run.complete) {
      result.notes.push_back(fmt::format("{} is not complete, {} of {}", run.label, run.finished,
                                         text::counted(run.planned, "planned case")));
    }
    for (const auto& [key, row] : run.rows) {
      if (row.status == Status::ok) ++ok[key];
      if (row.status == Status::failed || row.status == Status::timeout) failed.insert(key);
    }
  }
  for (const auto& [key, count] : ok) {
    if (count < runs.size() && !failed.contains(key)) result.incomplete.push_back(key);
  }
  result.failed.assign(failed.begin(), failed.end());
  const auto facts = environments_of(runs);
  const std::span<const Facts* const> all = facts;
  result.environment = environment_differences(all.first(1), all.subspan(1));
  result.environment_one_side = facts_of_one_side(all.first(1), all.subspan(1));
}

}  // namespace

double SelfTest::false_table_rate() const {
  return static_cast<double>(false_tables) / static_cast<double>(splits);
}

double SelfTest::raw_rate() const {
  return tests == 0 ? stats::kNan : static_cast<double>(raw) / static_cast<double>(tests);
}

SelfTest self_test(std::vector<RunDigest> runs, const SelfTestOptions& options) {
  if (runs.size() < kMinRuns) {
    throw UsageError(
        fmt::format("--aa splits BASE into two sides of at least 2 runs each, so it needs at least "
                    "{} runs; {} given",
                    kMinRuns, runs.size()));
  }
  SelfTest result;
  result.options = options.compare;
  result.options.plan_open_rows = false;
  result.runs = runs.size();
  result.runs_a = runs.size() / 2;
  result.runs_b = runs.size() - result.runs_a;
  inspect_runs(runs, result);
  const std::vector<Split> splits =
      splits_of(runs.size(), result.runs_a, limit_of(runs, options), options.seed, result.all_ways);
  result.splits = splits.size();
  std::map<std::string, SelfTestRow> rows = compare_splits(runs, splits, result);
  finish_rows(std::move(rows), noise_of(runs), result);
  return result;
}

}  // namespace scalemark::compare
