// SPDX-License-Identifier: Apache-2.0
// What each axis means, in one sentence, and its unit: one place for all benchmarks, since most of
// them share their axes.
#pragma once

#include <string_view>

namespace scalemark {

struct AxisDoc {
  std::string_view axis;
  /// UCUM: "By", "us", "{rank}". "1" = a plain number; empty = words, which have none.
  std::string_view unit;
  std::string_view doc;
  /// The benchmark or suite ("micro/gemm", "llm/") that means this by the axis; empty = all others.
  std::string_view only = {};
};

/// Null for an axis without a sentence, which the test of the suites refuses.
const AxisDoc* axis_doc(std::string_view benchmark, std::string_view axis);

}  // namespace scalemark
