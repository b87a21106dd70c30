// SPDX-License-Identifier: Apache-2.0
// From a comparison to an exit code.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/compare/compare.hpp"

namespace scalemark::compare {

struct GateOptions {
  std::set<std::string> fail_on = {"regression", "missing", "failed"};
  bool strict = false;       ///< an inconclusive row is no pass
  std::size_t min_rows = 1;  ///< fewer comparable rows are nothing
};

/// What `fail_on` may name: regression, missing, failed, inconclusive, env.
const std::vector<std::string>& gate_names();

/// `worse` before `nothing` before `inconclusive`, where several apply.
ExitCode gate(const Comparison& comparison, const GateOptions& options);

}  // namespace scalemark::compare
