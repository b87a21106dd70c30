// SPDX-License-Identifier: Apache-2.0
// Formats the results besides the rows as lines for text and Markdown.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/compare/print/formats.hpp"

namespace scalemark::compare {
namespace {

std::string with_interval(double change, double low, double high) {
  std::string text = fmt::format("{} %", signed_percent(change));
  if (std::isfinite(low))
    text += fmt::format(" [{}, {}]", signed_percent(low), signed_percent(high));
  return text;
}

constexpr std::size_t kMaxNames = 12;

std::string some_of(const std::vector<std::string>& facts) {
  const std::size_t shown = std::min(facts.size(), kMaxNames);
  const std::string names = text::join(
      std::vector<std::string>(facts.begin(), facts.begin() + static_cast<std::ptrdiff_t>(shown)),
      ", ");
  return shown == facts.size() ? names : fmt::format("{} and {} more", names, facts.size() - shown);
}

}  // namespace

std::vector<std::string> overall_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  const WholeRunShift& shift = comparison.shift;
  if (std::isfinite(shift.change)) {
    lines.push_back(fmt::format("whole run (median of {}): {} cost, plus = B is worse{}",
                                text::counted(shift.rows, "row"),
                                with_interval(shift.change, shift.low, shift.high),
                                shift.removed ? ", taken out of the rows below" : ""));
  }
  for (const GeometricMean& one : comparison.geomeans) {
    lines.push_back(fmt::format("geometric mean of {} over {}: {}", one.metric,
                                text::counted(one.rows, "row"),
                                with_interval(one.change, one.low, one.high)));
  }
  return lines;
}

std::vector<std::string> finding_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const Finding& one : comparison.findings) {
    lines.push_back(fmt::format("{} ({}): {}", one.kind, one.side, one.text));
  }
  return lines;
}

std::vector<std::string> cause_lines(const Comparison& comparison) {
  std::set<std::string> listed;
  for (const EnvironmentDifference& one : comparison.environment) listed.insert(one.fact);
  std::vector<std::string> lines, apart, mixed;
  for (const LikelyCause& one : comparison.causes) {
    if (!listed.contains(one.fact) || one.kind != "environment") {
      lines.push_back(one.text);
    } else if (!one.within.empty()) {
      lines.push_back(
          fmt::format("{} (see the environment differences): {}", one.fact, one.within));
    } else {
      (one.separates ? apart : mixed).push_back(one.fact);
    }
  }
  const auto refer = [&lines](const char* what, const std::vector<std::string>& facts) {
    if (!facts.empty()) lines.push_back(fmt::format("{}: {}", what, some_of(facts)));
  };
  refer("environment differences that separate A from B", apart);
  refer("environment differences with values that occur on both sides", mixed);
  return lines;
}

std::string one_side_line(std::span<const EnvironmentDifference> facts) {
  return facts.empty() ? std::string()
                       : fmt::format("{} known on one side only: not counted as a difference",
                                     facts.size() == 1 ? "1 fact is"
                                                       : fmt::format("{} facts are", facts.size()));
}

}  // namespace scalemark::compare
