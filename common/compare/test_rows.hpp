// SPDX-License-Identifier: Apache-2.0
// The tests behind a comparison: all rows together, since they share one false discovery rate.
#pragma once

#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/design.hpp"
#include "common/compare/row_values.hpp"

namespace scalemark::compare {

/// Fills intervals, p, q, verdicts and runs needed. `method` says what was done.
void test_rows(std::vector<RowValues>& rows, const Design& design, const CompareOptions& options,
               std::string& method);

}  // namespace scalemark::compare
