// SPDX-License-Identifier: Apache-2.0
// The tests behind a comparison: all rows together, since they lend each other their variance and
// share one false discovery rate.
#pragma once

#include <string>
#include <vector>

#include "common/report/compare.hpp"

namespace scalemark::report {

/// A case with a result on both sides; one entry a run, null where the run lacks the case.
struct PairedRow {
  std::string key;
  std::vector<const RowDigest*> a, b;
};

/// Rows in the order of the pairs. `method` says what was done.
std::vector<CompareRow> test_rows(const std::vector<PairedRow>& pairs,
                                  const CompareOptions& options, std::string& method);

}  // namespace scalemark::report
