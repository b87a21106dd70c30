// SPDX-License-Identifier: Apache-2.0
// Matches the cases of two sides and gives each a verdict.
#include "common/compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/compare/baseline.hpp"
#include "common/compare/findings/causes.hpp"
#include "common/compare/findings/modes.hpp"
#include "common/compare/findings/stragglers.hpp"
#include "common/compare/findings/tails.hpp"
#include "common/compare/join_runs.hpp"
#include "common/compare/run_effects.hpp"
#include "common/compare/test_rows.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

void check_input(std::span<const RunDigest> a, std::span<const RunDigest> b) {
  if (a.empty() || b.empty()) {
    throw UsageError(
        fmt::format("compare needs runs on both sides; there are {} in BASE and {} in --against",
                    a.size(), b.size()));
  }
  const auto is_known = [](const RunDigest& run) { return !run.stands_for.empty(); };
  if (std::ranges::any_of(b, is_known) || (a.size() > 1 && std::ranges::any_of(a, is_known)))
    throw UsageError(
        "a baseline must be the only BASE; it cannot be combined with runs or given to --against");
  std::map<std::string, std::string> seen;
  for (const std::string& uuid : a.front().stands_for) seen.emplace(uuid, a.front().label);
  refuse_repeats(a, seen);
  refuse_repeats(b, seen);
}

std::vector<const RowDigest*> rows_of(std::span<const RunDigest> side, const std::string& key) {
  std::vector<const RowDigest*> rows;
  for (const RunDigest& run : side) {
    const auto found = run.rows.find(key);
    rows.push_back(found == run.rows.end() ? nullptr : &found->second);
  }
  return rows;
}

bool any(const std::vector<const RowDigest*>& side, bool (*test)(Status)) {
  return std::any_of(side.begin(), side.end(),
                     [test](const RowDigest* row) { return row != nullptr && test(row->status); });
}

bool is_ok(Status status) { return status == Status::ok; }
bool is_failure(Status status) { return status != Status::ok && status != Status::skipped; }
/// Running out of memory counts against B only if the case ran in A. A failure or timeout in B
/// always counts.
bool is_fault(Status status) { return status == Status::failed || status == Status::timeout; }

/// The status of a side: the first failure with its reason, else the last status, or "absent".
std::string status_word(const std::vector<const RowDigest*>& side, std::string& reason) {
  std::string word = "absent";
  for (const RowDigest* row : side) {
    if (row == nullptr) continue;
    if (is_failure(row->status)) {
      reason = row->reason;
      return std::string(to_string(row->status));
    }
    word = to_string(row->status);
  }
  return word;
}

void match(const std::string& key, std::span<const RunDigest> a, std::span<const RunDigest> b,
           Comparison& result, std::vector<PairedRow>& pairs) {
  const auto left = rows_of(a, key), right = rows_of(b, key);
  const bool ok_a = any(left, is_ok), ok_b = any(right, is_ok);
  const bool failed_a = any(left, is_failure), failed_b = any(right, is_failure);
  if (ok_a && ok_b) pairs.push_back({key, left, right});
  if (failed_a || failed_b) {
    FailedRow row;
    row.key = key;
    row.a = status_word(left, row.reason);
    row.b = status_word(right, row.reason);
    row.counts = any(right, is_fault) || (failed_b && ok_a);
    result.failed.push_back(row);
  } else if (ok_a != ok_b) {
    (ok_a ? result.only_a : result.only_b).push_back(key);
  }
}

void note_incomplete(std::span<const RunDigest> side, const char* name,
                     std::vector<std::string>& notes) {
  for (const RunDigest& run : side) {
    if (run.complete) continue;
    notes.push_back(fmt::format("{}: {} is not complete, {} of {}", name, run.label, run.finished,
                                text::counted(run.planned, "planned case")));
  }
}

/// Relative change of the cost: positive is worse, for every metric.
double cost_change(const CompareRow& row) {
  return row.better == Better::higher ? 1 / (1 + row.change) - 1 : row.change;
}

void summarise_rows(Comparison& result) {
  std::vector<double> changes, detectable;
  for (const CompareRow& row : result.rows) {
    if (std::isfinite(row.change) && row.better != Better::none)
      changes.push_back(cost_change(row));
    if (std::isfinite(row.detectable)) detectable.push_back(row.detectable);
  }
  result.median_change = stats::median(changes);
  result.detectable = stats::median(detectable);
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const CompareRow& x, const CompareRow& y) {
                     if (x.verdict != y.verdict) return x.verdict < y.verdict;
                     const double left = std::isfinite(x.change) ? std::abs(cost_change(x)) : -1;
                     const double right = std::isfinite(y.change) ? std::abs(cost_change(y)) : -1;
                     return left > right;
                   });
}

/// A case without a usable value in B counts as failed, not as inconclusive.
void note_unusable(const std::vector<PairedRow>& pairs, const std::vector<RowValues>& rows,
                   Comparison& result) {
  std::set<std::string> known;
  for (const FailedRow& row : result.failed) known.insert(row.key);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CompareRow& row = rows[i].row;
    if (row.runs_a == 0 || row.runs_b > 0 || known.contains(row.key)) continue;
    const Unusable why = why_unusable(pairs[i].b, row);
    result.failed.push_back({row.key, "ok", why.word, why.reason, true});
  }
}

/// Why no row could be compared.
std::string describe_nothing(const std::vector<RowValues>& rows) {
  if (rows.empty()) return "none: no case has a result on both sides";
  std::map<std::string, std::size_t> counts;
  for (const RowValues& row : rows) {
    for (const std::string& flag : row.row.flags) {
      if (flag == kUnusableValue || flag == kMetricDiffers) ++counts[flag];
    }
  }
  std::vector<std::string> reasons;
  for (const auto& [flag, count] : counts) reasons.push_back(fmt::format("{} in {}", flag, count));
  return fmt::format("none: no case has a usable value of the same metric on both sides ({} of {})",
                     text::join(reasons, ", "), text::counted(rows.size(), "row"));
}

/// With fewer rows, the common shift would mostly consist of the changes of single rows.
constexpr std::size_t kMinRowsForShift = 5;

/// Tests whole-run shifts, then rows, then tails and modes.
void judge_rows(const std::vector<PairedRow>& pairs, const Design& design, Comparison& result) {
  const CompareOptions& options = result.options;
  std::vector<RowValues> rows;
  rows.reserve(pairs.size());
  for (const PairedRow& pair : pairs) rows.push_back(row_values(pair, options.maps.empty()));
  const RunEffects effects =
      run_effects(rows, rows.empty() ? 0 : rows[0].a.size(), rows.empty() ? 0 : rows[0].b.size());
  result.shift = whole_run_shift(effects, rows, design);
  result.geomeans = geometric_means(rows, design);
  if (options.relative_to_run && result.shift.rows >= kMinRowsForShift) {
    remove_effects(effects, rows);
    result.shift.removed = true;
  } else if (options.relative_to_run) {
    result.notes.push_back(
        fmt::format("--relative-to-run has no effect: it needs {} rows, "
                    "there are {}",
                    kMinRowsForShift, result.shift.rows));
  }
  test_rows(rows, design, options, result.method);
  note_unusable(pairs, rows, result);
  const auto has_both = [](const RowValues& row) { return std::isfinite(row.row.change); };
  if (std::ranges::none_of(rows, has_both)) result.method = describe_nothing(rows);
  result.findings = find_changed_tails(pairs, rows, design, options);
  std::ranges::move(find_changed_modes(pairs, rows, design, options.alpha),
                    std::back_inserter(result.findings));
  for (RowValues& row : rows) result.rows.push_back(std::move(row.row));
}

std::vector<std::string> labels_of(std::span<const RunDigest> side) {
  std::vector<std::string> labels;
  for (const RunDigest& run : side) labels.push_back(run.label);
  return labels;
}

/// Compares sides whose keys are already matched by --map.
Comparison compare_matched(std::span<const RunDigest> a, std::span<const RunDigest> b,
                           const CompareOptions& options) {
  Comparison result;
  result.options = options;
  const RunDigest& first = a.front();
  const bool is_baseline = !first.stands_for.empty();
  if (is_baseline) result.options.priors = first.priors;
  result.runs_a = is_baseline ? first.stands_for.size() : a.size();
  result.runs_b = b.size();
  const std::vector<RunDigest> known =
      is_baseline ? known_environments(first) : std::vector<RunDigest>();
  const std::span<const RunDigest> environment_runs =
      is_baseline ? std::span<const RunDigest>(known) : a;
  result.side_a = side_facts(environment_runs);
  result.side_b = side_facts(b);
  std::tie(result.side_a.name, result.side_b.name) = side_names(labels_of(a), labels_of(b));
  result.environment =
      environment_differences(environments_of(environment_runs), environments_of(b));
  result.environment_one_side =
      facts_of_one_side(environments_of(environment_runs), environments_of(b));
  note_incomplete(a, "A", result.notes);
  note_incomplete(b, "B", result.notes);
  if (is_baseline)
    result.notes.emplace_back(
        "A is a baseline, which stores medians only: tails, modes, slow ranks and telemetry are "
        "not compared");
  std::vector<PairedRow> pairs;
  std::set<std::string> seen;
  for (const auto& side : {a, b}) {
    for (const RunDigest& run : side) {
      for (const std::string& key : run.keys) {
        if (seen.insert(key).second) match(key, a, b, result, pairs);
      }
    }
  }
  judge_rows(pairs, design_of(a, b, options.pairing), result);
  std::ranges::move(find_stragglers(a, b, options.alpha), std::back_inserter(result.findings));
  summarise_rows(result);
  result.causes = likely_causes(environment_runs, b, result);
  return result;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
      return "REGRESSION";
    case Verdict::improved:
      return "IMPROVED";
    case Verdict::inconclusive:
      return "INCONCLUSIVE";
    case Verdict::same:
      return "SAME";
  }
  return "INCONCLUSIVE";
}

std::size_t Comparison::count(Verdict verdict) const {
  const auto is = [verdict](const CompareRow& row) { return row.verdict == verdict; };
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is));
}

std::size_t Comparison::count_comparable() const {
  const auto is = [](const CompareRow& row) { return std::isfinite(row.change); };
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is));
}

std::size_t Comparison::count_failed() const {
  const auto counts = [](const FailedRow& row) { return row.counts; };
  return static_cast<std::size_t>(std::count_if(failed.begin(), failed.end(), counts));
}

std::string_view Comparison::verdict() const {
  if (count(Verdict::regression) > 0) return to_string(Verdict::regression);
  if (count_failed() > 0) return "FAILED";
  if (!only_a.empty()) return "MISSING";
  if (count_comparable() == 0) return "NOTHING";
  if (count(Verdict::improved) > 0) return to_string(Verdict::improved);
  return to_string(count(Verdict::same) == rows.size() ? Verdict::same : Verdict::inconclusive);
}

Comparison compare(std::span<const RunDigest> a, std::span<const RunDigest> b,
                   const CompareOptions& options) {
  check_input(a, b);
  if (options.maps.empty()) return compare_matched(a, b, options);
  std::vector<RunDigest> left(a.begin(), a.end()), right(b.begin(), b.end());
  map_side(left, options.maps, false);
  map_side(right, options.maps, true);
  return compare_matched(left, right, options);
}

}  // namespace scalemark::compare
