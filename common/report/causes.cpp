// SPDX-License-Identifier: Apache-2.0
// Facts that go with the sides, and telemetry of the rows that got worse.
#include "common/report/causes.hpp"

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
#include "common/base/units.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::report {
namespace {

/// Telemetry that differs by less explains nothing.
constexpr double kLeastTelemetry = 0.02;
/// A fact that goes with so much of the whole run's shift within one side explains it.
constexpr double kLeastPart = 0.5;
constexpr std::size_t kMostNoiseFacts = 3;

using Side = std::span<const RunDigest>;

std::string value_of(const RunDigest& run, const std::string& fact) {
  const auto found = run.environment.find(fact);
  return found == run.environment.end() ? "-" : found->second;
}

std::set<std::string> values_of(Side side, const std::string& fact) {
  std::set<std::string> values;
  for (const RunDigest& run : side) values.insert(value_of(run, fact));
  return values;
}

std::string joined(const std::set<std::string>& values) {
  return text::join(std::vector<std::string>(values.begin(), values.end()), " | ");
}

bool disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::none_of(a, [&](const std::string& value) { return b.contains(value); });
}

/// ln of a run's cost by that of another: the median over the rows that both have.
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

/// How much slower the runs of one side are that have a value of the other side; NaN where there
/// are no such runs, or no others.
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
  const std::set<std::string> left = values_of(a, fact), right = values_of(b, fact);
  LikelyCause cause;
  cause.kind = "environment";
  cause.fact = fact;
  cause.a = joined(left);
  cause.b = joined(right);
  cause.fact_class = class_of(fact);
  cause.separates = disjoint(left, right);
  cause.text =
      fmt::format("{} ({}): {} in A, {} in B", fact, to_string(cause.fact_class), cause.a, cause.b);
  // Runs of A that have B's value only in part: do they go with B?
  std::set<std::string> only_right;
  std::ranges::set_difference(right, left, std::inserter(only_right, only_right.end()));
  std::set<std::string> only_left;
  std::ranges::set_difference(left, right, std::inserter(only_left, only_left.end()));
  const double in_b = change_within(b, fact, only_right), in_a = -change_within(a, fact, only_left);
  for (const auto& [within, name] : {std::pair(in_b, "B"), std::pair(in_a, "A")}) {
    if (!std::isfinite(within) || !(within * shift > 0) ||
        std::abs(within) < kLeastPart * std::abs(shift))
      continue;
    cause.text += fmt::format("; within {}, too, it goes with {:+.1f} % of cost", name,
                              100 * std::expm1(within));
    cause.separates = true;
  }
  return cause;
}

std::set<std::string> all_facts(Side a, Side b) {
  std::set<std::string> facts;
  for (const Side side : {a, b}) {
    for (const RunDigest& run : side) {
      for (const auto& [fact, value] : run.environment) facts.insert(fact);
    }
  }
  return facts;
}

/// Numbers that every run of A has below, or above, those of B: what changes from run to run anyway
/// means something only then, and only of several runs.
bool noise_separates(Side a, Side b, const std::string& fact) {
  if (a.size() < 3 || b.size() < 3) return false;
  const auto numbers = [&](Side side) {
    std::vector<double> values;
    for (const RunDigest& run : side) {
      const std::string text = value_of(run, fact);
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      if (end != text.c_str()) values.push_back(value);
    }
    std::ranges::sort(values);
    return values;
  };
  const std::vector<double> left = numbers(a), right = numbers(b);
  if (left.size() != a.size() || right.size() != b.size()) return false;
  return left.back() < right.front() || right.back() < left.front();
}

/// What a quantity was in the runs of one side while a case ran.
std::vector<double> watched(Side side, const std::string& key, const std::string& quantity) {
  std::vector<double> values;
  for (const RunDigest& run : side) {
    const auto row = run.rows.find(key);
    if (row == run.rows.end()) continue;
    const auto found = row->second.telemetry.find(quantity);
    if (found != row->second.telemetry.end()) values.push_back(found->second.value);
  }
  std::ranges::sort(values);
  return values;
}

/// One quantity over the rows that got worse.
struct Watched {
  std::vector<double> a, b;  ///< medians over runs, of rows whose runs do not overlap
  std::string unit;
};

LikelyCause telemetry_cause(const std::string& quantity, const Watched& seen, std::size_t worse) {
  const double a = stats::median(seen.a), b = stats::median(seen.b);
  LikelyCause cause;
  cause.kind = "telemetry";
  cause.fact = quantity;
  cause.a = units::quantity(a, seen.unit);
  cause.b = units::quantity(b, seen.unit);
  cause.separates = true;
  cause.rows = seen.a.size();
  cause.text = fmt::format("{}: {} in A, {} in B, in {} of {} rows that got worse", quantity,
                           cause.a, cause.b, cause.rows, worse);
  return cause;
}

std::vector<LikelyCause> telemetry_causes(Side a, Side b, const Comparison& comparison) {
  std::map<std::string, Watched> quantities;
  std::size_t worse = 0;
  for (const CompareRow& row : comparison.rows) {
    if (row.verdict != Verdict::regression) continue;
    ++worse;
    std::map<std::string, std::string> names;  // to their units
    for (const RunDigest& run : b) {
      const auto found = run.rows.find(row.key);
      if (found == run.rows.end()) continue;
      for (const auto& [name, value] : found->second.telemetry) names.emplace(name, value.unit);
    }
    for (const auto& [name, unit] : names) {
      const std::vector<double> left = watched(a, row.key, name), right = watched(b, row.key, name);
      if (left.empty() || right.empty()) continue;
      if (left.front() <= right.back() && right.front() <= left.back()) continue;
      const double x = stats::median(left), y = stats::median(right);
      if (std::abs(y - x) < kLeastTelemetry * std::max(std::abs(x), std::abs(y))) continue;
      quantities[name].a.push_back(x);
      quantities[name].b.push_back(y);
      quantities[name].unit = unit;
    }
  }
  std::vector<LikelyCause> causes;
  for (const auto& [name, seen] : quantities) {
    // What shows in few of them did not make them worse.
    if (2 * seen.a.size() >= worse) causes.push_back(telemetry_cause(name, seen, worse));
  }
  return causes;
}

}  // namespace

std::vector<LikelyCause> likely_causes(std::span<const RunDigest> a, std::span<const RunDigest> b,
                                       const Comparison& comparison) {
  std::vector<LikelyCause> causes = telemetry_causes(a, b, comparison);
  const double shift = std::log1p(comparison.shift.change);
  std::size_t noise = 0;
  for (const std::string& fact : all_facts(a, b)) {
    if (class_of(fact) == FactClass::noise) {
      if (noise == kMostNoiseFacts || !noise_separates(a, b, fact)) continue;
      ++noise;
      causes.push_back(fact_cause(a, b, fact, shift));
    } else if (values_of(a, fact) != values_of(b, fact)) {
      causes.push_back(fact_cause(a, b, fact, shift));
    }
  }
  std::ranges::stable_sort(causes, {}, [](const LikelyCause& one) {
    const bool telemetry = one.kind == "telemetry";
    return std::tuple(!one.separates, !telemetry, one.fact_class);
  });
  return causes;
}

}  // namespace scalemark::report
