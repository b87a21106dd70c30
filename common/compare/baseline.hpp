// SPDX-License-Identifier: Apache-2.0
// A baseline: what later runs are compared with, in the place of the runs themselves. One new run
// is then judged by the variances of many.
//
// In a file it is a result with one case, whose tables are baseline/rows, families, facts and runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/result/model.hpp"

namespace scalemark::compare {

/// Throws UsageError with fewer than two runs, for a run given twice, and for a baseline among
/// them. Cases with fewer than two usable values, and such of no direction, are left out.
Run make_baseline(std::span<const RunDigest> runs);

/// Whether a case of a file is one.
bool is_baseline(const CaseResult& result);

/// As many digests as it takes to show every value of every fact: its environments.
std::vector<RunDigest> known_environments(const RunDigest& baseline);

/// The digest that stands for the runs. Throws InputError for what is none.
RunDigest baseline_digest(const CaseResult& result, const std::string& label);

}  // namespace scalemark::compare
