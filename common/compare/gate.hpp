// SPDX-License-Identifier: Apache-2.0
// The exit code of `scalemark compare`, for use in CI.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// Which results make the command fail.
struct GateOptions {
  std::set<std::string> fail_on = {"regression", "missing", "failed"};
  bool strict = false;       ///< an inconclusive row gives its own exit code
  std::size_t min_rows = 1;  ///< with fewer comparable rows, the result is `nothing`
};

/// Allowed values of `fail_on`: regression, missing, failed, inconclusive, env.
const std::vector<std::string>& gate_names();

/// The exit code. If several apply: `worse`, then `nothing`, then `inconclusive`.
ExitCode gate(const Comparison& comparison, const GateOptions& options);

}  // namespace scalemark::compare
