// SPDX-License-Identifier: Apache-2.0
// Tests the 99th percentiles of rows.
#include "common/compare/findings/tails.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/compare/print/formats.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

/// ln of the tails of a side's runs. Nothing if a run with a value has no tail.
std::optional<std::vector<double>> log_tails(const std::vector<const RowDigest*>& side,
                                             const std::vector<double>& values) {
  std::vector<double> tails;
  for (std::size_t r = 0; r < side.size(); ++r) {
    if (!std::isfinite(values[r])) {
      tails.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    if (!(side[r]->tail > 0) || std::isinf(side[r]->tail)) return std::nullopt;
    // Apply the same correction (--relative-to-run) as to the run's value.
    tails.push_back(std::log(side[r]->tail) + values[r] - std::log(side[r]->value));
  }
  return tails;
}

std::optional<RowValues> tail_values(const PairedRow& pair, const RowValues& row) {
  if (row.row.better == Better::none || row.baseline) return std::nullopt;
  const auto a = log_tails(pair.a, row.a), b = log_tails(pair.b, row.b);
  if (!a || !b) return std::nullopt;
  RowValues tail = row;
  tail.row.flags.clear();
  tail.row.secondary.clear();
  tail.row.verdict = Verdict::inconclusive;
  tail.a = *a;
  tail.b = *b;
  describe(tail);
  return tail;
}

/// Median over runs of ln(`member`), a tail value or an end of its interval.
double median_of_runs(const std::vector<const RowDigest*>& side, const std::vector<double>& values,
                      double RowDigest::*member) {
  std::vector<double> some;
  for (std::size_t r = 0; r < side.size(); ++r) {
    // Apply the same correction (--relative-to-run) as to the run's value.
    if (std::isfinite(values[r]))
      some.push_back(std::log(side[r]->*member) + values[r] - std::log(side[r]->value));
  }
  return stats::median(some);
}

/// Whether `tail` (ln, of the other side) lies in the interval that this side's runs give for their
/// own tail. If about 1 % of the iterations are slow, the percentile jumps between two values from
/// run to run. A t-test does not describe that.
bool is_within_interval(const std::vector<const RowDigest*>& side,
                        const std::vector<double>& values, double tail) {
  return median_of_runs(side, values, &RowDigest::tail_low) <= tail &&
         tail <= median_of_runs(side, values, &RowDigest::tail_high);
}

bool is_resolved(const PairedRow& pair, const RowValues& row) {
  const double a = median_of_runs(pair.a, row.a, &RowDigest::tail);
  const double b = median_of_runs(pair.b, row.b, &RowDigest::tail);
  return !is_within_interval(pair.a, row.a, b) && !is_within_interval(pair.b, row.b, a);
}

Finding finding_of(const CompareRow& tail, const CompareRow& row) {
  const char* change = tail.verdict == Verdict::regression ? "worse" : "better";
  return {"tail",
          "B",
          tail.key,
          fmt::format("{}: 99th percentile of {} is {}: {} -> {}, {} % [{}, {}]; the median is {}",
                      tail.key, tail.metric, change, units::quantity(tail.a, tail.unit),
                      units::quantity(tail.b, tail.unit), signed_percent(tail.change),
                      signed_percent(tail.low), signed_percent(tail.high), to_string(row.verdict)),
          {{"a", tail.a},
           {"b", tail.b},
           {"change", tail.change},
           {"low", tail.low},
           {"high", tail.high},
           {"p", tail.p},
           {"q", tail.q}}};
}

}  // namespace

std::vector<Finding> find_changed_tails(const std::vector<PairedRow>& pairs,
                                        const std::vector<RowValues>& rows, const Design& design,
                                        const CompareOptions& options) {
  std::vector<RowValues> tails;
  std::vector<std::size_t> row_of_tail;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::optional<RowValues> tail = tail_values(pairs[i], rows[i]);
    if (!tail) continue;
    tails.push_back(std::move(*tail));
    row_of_tail.push_back(i);
  }
  CompareOptions own = options;
  own.plan_open_rows = false;
  own.priors.clear();  // stored priors hold for medians only
  own.single_run_threshold.reset();
  std::string method;
  test_rows(tails, design, own, method);
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < tails.size(); ++i) {
    const Verdict verdict = tails[i].row.verdict;
    const bool changed = verdict == Verdict::regression || verdict == Verdict::improved;
    const RowValues& row = rows[row_of_tail[i]];
    if (changed && verdict != row.row.verdict && is_resolved(pairs[row_of_tail[i]], row))
      findings.push_back(finding_of(tails[i].row, row.row));
  }
  return findings;
}

}  // namespace scalemark::compare
