// SPDX-License-Identifier: Apache-2.0
// Tests which telemetry quantities differ between the sides.
#include "common/compare/watched.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/compare/row_values.hpp"
#include "common/stats/adjust.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/moderated.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kMinWatchedRuns = 3;
/// Smaller relative differences of telemetry explain nothing.
constexpr double kMinWatchedChange = 0.02;
/// Resolution of shares: ticks of 10 ms in readings over 0.1 s at the start and end of a case.
constexpr double kShareStep = 0.1;

using Side = std::span<const RunDigest>;

/// Values of one telemetry quantity in the rows that got worse.
struct Watched {
  std::string unit;
  std::vector<double> row_a, row_b;               ///< per row: median over runs
  std::vector<std::vector<double>> run_a, run_b;  ///< per run: its values minus the row's mean
  std::vector<double> readings;                   ///< all values
};

/// Per run, the value of a quantity during a case; NaN if unknown.
std::vector<double> watched_values(Side side, const std::string& key, const std::string& quantity) {
  std::vector<double> values;
  for (const RunDigest& run : side) {
    values.push_back(stats::kNan);
    const auto row = run.rows.find(key);
    if (row == run.rows.end()) continue;
    const auto found = row->second.telemetry.find(quantity);
    if (found != row->second.telemetry.end()) values.back() = found->second.value;
  }
  return values;
}

std::map<std::string, std::string> units_of(Side side, const std::string& key) {
  std::map<std::string, std::string> units;
  for (const RunDigest& run : side) {
    const auto found = run.rows.find(key);
    if (found == run.rows.end()) continue;
    for (const auto& [name, value] : found->second.telemetry) units.emplace(name, value.unit);
  }
  return units;
}

void add_row(const std::vector<double>& a, const std::vector<double>& b, Watched& quantity) {
  const std::vector<double> left = finite_values(a), right = finite_values(b);
  if (left.empty() || right.empty()) return;
  quantity.row_a.push_back(stats::median(left));
  quantity.row_b.push_back(stats::median(right));
  const double middle = (stats::mean(left) + stats::mean(right)) / 2;
  const auto add = [&](const std::vector<double>& side, std::vector<std::vector<double>>& runs) {
    runs.resize(side.size());
    for (std::size_t r = 0; r < side.size(); ++r) {
      if (!std::isfinite(side[r])) continue;
      runs[r].push_back(side[r] - middle);
      quantity.readings.push_back(side[r]);
    }
  };
  add(a, quantity.run_a);
  add(b, quantity.run_b);
}

/// One number per run: the median of its values. Runs without values are left out.
std::vector<double> of_runs(const std::vector<std::vector<double>>& runs) {
  std::vector<double> numbers;
  for (const std::vector<double>& run : runs) {
    if (!run.empty()) numbers.push_back(stats::median(run));
  }
  return numbers;
}

double p_of(const Watched& seen) {
  const double level =
      std::max(std::abs(stats::median(seen.row_a)), std::abs(stats::median(seen.row_b)));
  const double step = step_of(seen.readings, level, seen.unit == "1" ? kShareStep : 0);
  return p_of_run_numbers(of_runs(seen.run_a), of_runs(seen.run_b), step);
}

/// Number of rows whose difference is at least 2 % and has the sign of the runs' difference.
std::size_t rows_that_show(const Watched& seen) {
  const double whole = stats::mean(of_runs(seen.run_b)) - stats::mean(of_runs(seen.run_a));
  std::size_t count = 0;
  for (std::size_t i = 0; i < seen.row_a.size(); ++i) {
    const double x = seen.row_a[i], y = seen.row_b[i];
    const bool enough = std::abs(y - x) >= kMinWatchedChange * std::max(std::abs(x), std::abs(y));
    if (enough && (y - x) * whole > 0) ++count;
  }
  return count;
}

bool overlap(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a.front() <= b.back() && b.front() <= a.back();
}

LikelyCause cause_of(const std::string& quantity, const Watched& seen, std::size_t shown,
                     std::size_t worse) {
  LikelyCause cause;
  cause.kind = "telemetry";
  cause.fact = quantity;
  cause.a = units::quantity(stats::median(seen.row_a), seen.unit);
  cause.b = units::quantity(stats::median(seen.row_b), seen.unit);
  cause.separates = !overlap(of_runs(seen.run_a), of_runs(seen.run_b));
  cause.rows = shown;
  cause.text = fmt::format("{}: {} in A, {} in B, in {} of {} rows that got worse", quantity,
                           cause.a, cause.b, shown, worse);
  return cause;
}

}  // namespace

double p_of_run_numbers(std::span<const double> a, std::span<const double> b, double step) {
  if (a.size() < kMinWatchedRuns || b.size() < kMinWatchedRuns) return stats::kNan;
  const auto contrast = stats::contrast(a, b);
  if (!contrast) return stats::kNan;
  const stats::Contrast row = stats::with_floor(*contrast, step * step / 12);
  const double scale = 1.0 / row.runs_a + 1.0 / row.runs_b;
  if (!(row.variance > 0)) return row.difference == 0 ? 1 : stats::kNan;
  return stats::p_different({row.difference, std::sqrt(row.variance * scale),
                             static_cast<double>(row.df()), row.variance});
}

double step_of(std::span<const double> values, double level, double least) {
  const bool whole = std::ranges::all_of(values, [](double x) { return x == std::round(x); });
  return std::max(whole ? 1 : least, std::abs(level) / 100);
}

std::vector<LikelyCause> telemetry_causes(std::span<const RunDigest> a,
                                          std::span<const RunDigest> b,
                                          const Comparison& comparison) {
  std::map<std::string, Watched> quantities;
  std::size_t worse = 0;
  for (const CompareRow& row : comparison.rows) {
    if (row.verdict != Verdict::regression) continue;
    ++worse;
    for (const auto& [name, unit] : units_of(b, row.key)) {
      Watched& quantity = quantities[name];
      quantity.unit = unit;
      add_row(watched_values(a, row.key, name), watched_values(b, row.key, name), quantity);
    }
  }
  std::vector<double> p;
  for (const auto& [name, seen] : quantities) p.push_back(p_of(seen));
  const std::vector<double> q = stats::benjamini_hochberg(p);
  std::vector<LikelyCause> causes;
  std::size_t i = 0;
  for (const auto& [name, seen] : quantities) {
    const std::size_t shown = rows_that_show(seen);
    // A quantity that changed in few of the rows did not cause their slow-down.
    if (q[i++] <= kCauseLevel && 2 * shown >= worse)
      causes.push_back(cause_of(name, seen, shown, worse));
  }
  return causes;
}

}  // namespace scalemark::compare
