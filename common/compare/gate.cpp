// SPDX-License-Identifier: Apache-2.0
// Decides the exit code of `scalemark compare`.
#include "common/compare/gate.hpp"

#include <algorithm>

namespace scalemark::compare {
namespace {

bool has_regression(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, counts_as_regression);
}

}  // namespace

const std::vector<std::string>& gate_names() {
  static const std::vector<std::string> names = {"regression", "missing", "failed", "inconclusive",
                                                 "env"};
  return names;
}

ExitCode gate(const Comparison& comparison, const GateOptions& options) {
  const auto gates = [&](const char* name) { return options.fail_on.contains(name); };
  const bool inconclusive = comparison.count(Verdict::inconclusive) > 0;
  if (gates("regression") && has_regression(comparison)) return ExitCode::worse;
  if (gates("missing") && !comparison.only_a.empty()) return ExitCode::worse;
  if (gates("failed") && comparison.count_failed() > 0) return ExitCode::worse;
  if (gates("inconclusive") && inconclusive) return ExitCode::worse;
  if (comparison.count_comparable() < options.min_rows) return ExitCode::nothing;
  if (gates("env") && !comparison.environment.empty()) return ExitCode::nothing;
  if (options.strict && inconclusive) return ExitCode::inconclusive;
  return ExitCode::ok;
}

}  // namespace scalemark::compare
