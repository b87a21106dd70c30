// SPDX-License-Identifier: Apache-2.0
// Where the times of a run stand in its trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::formats {

struct TraceInterval {
  double from = 0, to = 0;  ///< microseconds

  double clamped(double at) const { return std::min(std::max(at, from), to); }
};

/// Microseconds from the beginning of the trace.
class TraceClock {
 public:
  /// Throws UsageError if no case says when it ran.
  explicit TraceClock(const Run& run);

  /// When a case ran; nothing if it does not say.
  std::optional<TraceInterval> whole(const CaseResult& result) const;
  /// To be added to what counts from the launch: by the case's first phase, which begins with it (a
  /// resumed run has several launches). Without phases the launch is taken as the beginning.
  std::optional<double> offset(const CaseResult& result) const;

 private:
  std::int64_t begin_ = 0;  ///< ms since 1970
  bool has_begin_ = false;
  double lead_ = 0;  ///< of the launch before what the file calls its beginning
};

}  // namespace scalemark::formats
