// SPDX-License-Identifier: Apache-2.0
// Finds facts and telemetry that may explain a change.
#include "common/compare/findings/causes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/compare/watched.hpp"
#include "common/stats/adjust.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

/// A fact also explains runs within one side if their difference is at least this fraction of the
/// whole-run shift.
constexpr double kMinPart = 0.5;
constexpr std::size_t kMaxNoiseFacts = 3;

using Side = std::span<const RunDigest>;

std::string value_of(const RunDigest& run, const std::string& fact) {
  const auto found = run.environment.find(fact);
  return found == run.environment.end() ? "-" : found->second;
}

std::string joined(const std::set<std::string>& values) {
  return text::join(std::vector<std::string>(values.begin(), values.end()), " | ");
}

bool disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::none_of(a, [&](const std::string& value) { return b.contains(value); });
}

/// ln(cost of `run` / cost of `other`), as the median over the rows that both have.
double relative_cost(const RunDigest& run, const RunDigest& other) {
  std::vector<double> ratios;
  for (const auto& [key, row] : run.rows) {
    const auto found = other.rows.find(key);
    if (found == other.rows.end() || row.better == Better::none) continue;
    const RowDigest& match = found->second;
    const bool usable = row.metric == match.metric && row.value > 0 && match.value > 0 &&
                        std::isfinite(row.value) && std::isfinite(match.value);
    if (!usable) continue;
    ratios.push_back(std::log(row.value / match.value) * (row.better == Better::higher ? -1 : 1));
  }
  return stats::median(ratios);
}

/// Within one side: ln of the cost of runs with a value in `foreign`, relative to the other runs.
/// NaN if one of these groups is empty.
double change_within(Side side, const std::string& fact, const std::set<std::string>& foreign) {
  std::vector<double> differences;
  for (const RunDigest& run : side) {
    if (!foreign.contains(value_of(run, fact))) continue;
    for (const RunDigest& other : side) {
      if (!foreign.contains(value_of(other, fact)))
        differences.push_back(relative_cost(run, other));
    }
  }
  return stats::median(differences);
}

LikelyCause fact_cause(Side a, Side b, const std::string& fact, double shift) {
  const std::set<std::string> left = known_values(environments_of(a), fact),
                              right = known_values(environments_of(b), fact);
  LikelyCause cause;
  cause.kind = "environment";
  cause.fact = fact;
  cause.a = joined(left);
  cause.b = joined(right);
  cause.fact_class = class_of(fact);
  cause.separates = disjoint(left, right);
  cause.text =
      fmt::format("{} ({}): {} in A, {} in B", fact, to_string(cause.fact_class), cause.a, cause.b);
  // Some runs of one side may have a value of the other: do they also have its cost?
  std::set<std::string> only_right;
  std::ranges::set_difference(right, left, std::inserter(only_right, only_right.end()));
  std::set<std::string> only_left;
  std::ranges::set_difference(left, right, std::inserter(only_left, only_left.end()));
  const double in_b = change_within(b, fact, only_right), in_a = -change_within(a, fact, only_left);
  for (const auto& [within, name] : {std::pair(in_b, "B"), std::pair(in_a, "A")}) {
    if (!std::isfinite(within) || !(within * shift > 0) ||
        std::abs(within) < kMinPart * std::abs(shift))
      continue;
    if (!cause.within.empty()) cause.within += "; ";
    cause.within +=
        fmt::format("within {} alone, the same difference changes the cost by {:+.1f} %", name,
                    100 * std::expm1(within));
    cause.separates = true;
  }
  if (!cause.within.empty()) cause.text += "; " + cause.within;
  return cause;
}

std::set<std::string> noise_facts(Side a, Side b) {
  std::set<std::string> facts;
  for (const Side side : {a, b}) {
    for (const RunDigest& run : side) {
      for (const auto& [fact, value] : run.environment) {
        if (class_of(fact) == FactClass::noise && !is_identifier(fact, {value})) facts.insert(fact);
      }
    }
  }
  return facts;
}

bool has_changed(const Comparison& comparison) {
  const auto changed = [](const CompareRow& row) {
    return row.verdict == Verdict::improved || counts_as_regression(row);
  };
  const WholeRunShift& shift = comparison.shift;
  const bool shifted =
      shift.p <= comparison.options.alpha && std::abs(shift.change) > comparison.options.threshold;
  return shifted || std::ranges::any_of(comparison.rows, changed);
}

/// The number at the start of each run's value, sorted. Empty if any value does not start with a
/// number.
std::vector<double> numbers_of(Side side, const std::string& fact) {
  std::vector<double> values;
  for (const RunDigest& run : side) {
    const std::string text = value_of(run, fact);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || !std::isfinite(value)) return {};
    values.push_back(value);
  }
  std::ranges::sort(values);
  return values;
}

/// Noise facts whose ranges on the two sides do not overlap, if that is significant. Such facts
/// differ between any two runs, so a single run per side shows nothing.
std::vector<std::string> separating_noise(Side a, Side b) {
  std::vector<std::string> names;
  std::vector<double> p;
  for (const std::string& fact : noise_facts(a, b)) {
    const std::vector<double> left = numbers_of(a, fact), right = numbers_of(b, fact);
    if (left.empty() || right.empty()) continue;
    std::vector<double> all = left;
    all.insert(all.end(), right.begin(), right.end());
    const bool apart = left.back() < right.front() || right.back() < left.front();
    names.push_back(fact);
    p.push_back(apart ? p_of_run_numbers(left, right, step_of(all, stats::median(all))) : 1);
  }
  const std::vector<double> q = stats::benjamini_hochberg(p);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < names.size() && found.size() < kMaxNoiseFacts; ++i) {
    if (q[i] <= kCauseLevel) found.push_back(names[i]);
  }
  return found;
}

/// Shows the range of the numbers only; other parts of the text, such as a process id, say nothing.
LikelyCause noise_cause(Side a, Side b, const std::string& fact) {
  const auto range = [&fact](Side side) {
    const std::vector<double> numbers = numbers_of(side, fact);
    return fmt::format("{:g} to {:g}", numbers.front(), numbers.back());
  };
  LikelyCause cause;
  cause.kind = "environment";
  cause.fact = fact;
  cause.a = range(a);
  cause.b = range(b);
  cause.fact_class = FactClass::noise;
  cause.separates = true;
  cause.text = fmt::format("{} (noise): {} in A, {} in B", fact, cause.a, cause.b);
  return cause;
}

}  // namespace

std::vector<LikelyCause> likely_causes(std::span<const RunDigest> a, std::span<const RunDigest> b,
                                       const Comparison& comparison) {
  if (!has_changed(comparison)) return {};
  std::vector<LikelyCause> causes = telemetry_causes(a, b, comparison);
  const double shift = std::log1p(comparison.shift.change);
  for (const EnvironmentDifference& one : comparison.environment)
    causes.push_back(fact_cause(a, b, one.fact, shift));
  for (const std::string& fact : separating_noise(a, b)) causes.push_back(noise_cause(a, b, fact));
  std::ranges::stable_sort(causes, {}, [](const LikelyCause& one) {
    const bool telemetry = one.kind == "telemetry";
    return std::tuple(!one.separates, !telemetry, one.fact_class);
  });
  return causes;
}

}  // namespace scalemark::compare
