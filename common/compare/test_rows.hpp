// SPDX-License-Identifier: Apache-2.0
// The statistical tests of a comparison. All rows are tested together, as they share one false
// discovery rate.
#pragma once

#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/design.hpp"
#include "common/compare/row_values.hpp"

namespace scalemark::compare {

/// Fills in intervals, p, q, verdicts and runs_needed. `method` receives a description of the
/// tests.
void test_rows(std::vector<RowValues>& rows, const Design& design, const CompareOptions& options,
               std::string& method);

}  // namespace scalemark::compare
