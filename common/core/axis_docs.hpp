// SPDX-License-Identifier: Apache-2.0
// What the axes that benchmarks share mean, in one sentence each, and their units: one place for
// all benchmarks. A benchmark that means something else by an axis says so in its declaration.
#pragma once

#include <string_view>

namespace scalemark {

struct AxisDoc {
  std::string_view axis;
  /// UCUM: "By", "us", "{rank}". "1" = a plain number; empty = words, which have none.
  std::string_view unit;
  std::string_view doc;
};

/// Null for an axis without a shared sentence: its declaration must have one.
const AxisDoc* axis_doc(std::string_view axis);

}  // namespace scalemark
