// SPDX-License-Identifier: Apache-2.0
// What a comparison says beside its rows, as lines for text and Markdown.
#include <cmath>

#include <fmt/format.h>

#include "common/report/compare_formats.hpp"

namespace scalemark::report {
namespace {

std::string with_interval(double change, double low, double high) {
  std::string text = fmt::format("{} %", signed_percent(change));
  if (std::isfinite(low))
    text += fmt::format(" [{}, {}]", signed_percent(low), signed_percent(high));
  return text;
}

}  // namespace

std::vector<std::string> overall_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  const WholeRunShift& shift = comparison.shift;
  if (std::isfinite(shift.change)) {
    lines.push_back(fmt::format("whole run, middle of {} rows: {} cost (plus is worse for B){}",
                                shift.rows, with_interval(shift.change, shift.low, shift.high),
                                shift.removed ? ", taken out of the rows below" : ""));
  }
  for (const GeometricMean& one : comparison.geomeans) {
    lines.push_back(fmt::format("geometric mean of {} over {} rows: {}", one.metric, one.rows,
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
  std::vector<std::string> lines;
  for (const LikelyCause& one : comparison.causes) lines.push_back(one.text);
  return lines;
}

}  // namespace scalemark::report
