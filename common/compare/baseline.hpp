// SPDX-License-Identifier: Apache-2.0
// A baseline summarises several runs and replaces them as side A of a comparison. A single new run
// can then be tested against the variance between those runs.
//
// A baseline file has one case with the tables baseline/rows, families, facts and runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/result/model.hpp"

namespace scalemark::compare {

/// Summarises runs as a baseline. Cases with fewer than two usable values, or without a better
/// direction, are left out. Throws UsageError for fewer than two runs, a run given twice, a
/// baseline among the runs, or no usable case.
Run make_baseline(std::span<const RunDigest> runs);

/// Whether a case read from a file is a baseline.
bool is_baseline(const CaseResult& result);

/// Digests whose environments together contain every value of every fact in the baseline.
std::vector<RunDigest> known_environments(const RunDigest& baseline);

/// The digest of a baseline. Throws InputError if tables are missing or invalid.
RunDigest baseline_digest(const CaseResult& result, const std::string& label);

}  // namespace scalemark::compare
