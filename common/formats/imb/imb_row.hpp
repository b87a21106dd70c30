// SPDX-License-Identifier: Apache-2.0
// A case as a row of an IMB table, with IMB's own statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/formats/imb/imb_tests.hpp"
#include "common/result/model.hpp"

namespace scalemark::formats {

/// A column behind the repetitions, in IMB's unit, and its number in one row.
struct ImbCell {
  std::string heading;
  double value = 0;
  bool is_whole = false;  ///< printed without decimals
};

struct ImbRow {
  std::optional<std::int64_t> bytes;  ///< IMB's #bytes; empty for a test without sizes
  std::uint64_t repetitions = 0;
  std::vector<ImbCell> cells;
};

/// The row of a case that is ok, and that imb_test_of() gives this test. Throws Error with the
/// reason if IMB has no such row: another way to call, no size, no times of single ranks, or a
/// number that is NaN or infinite, which readers do not expect.
ImbRow imb_row_of(const ImbTest& test, const CaseResult& result);

/// Whether the case is measured beside computation, by a test that is not in itself.
bool is_nonblocking_variant(const ImbTest& test, const CaseResult& result);

}  // namespace scalemark::formats
