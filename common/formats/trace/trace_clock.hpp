// SPDX-License-Identifier: Apache-2.0
// Maps times of a run to times in its trace.
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

/// Times in us since the start of the trace.
class TraceClock {
 public:
  /// Throws UsageError if no case has start and end times.
  explicit TraceClock(const Run& run);

  /// The interval of a case; empty without start and end times.
  std::optional<TraceInterval> whole(const CaseResult& result) const;
  /// Offset from times since launch to trace times, from the first phase of the case (a resumed run
  /// has several launches). Without phases the launch is the start of the trace.
  std::optional<double> offset(const CaseResult& result) const;

 private:
  std::int64_t begin_ = 0;  ///< ms since 1970
  bool has_begin_ = false;
  double lead_ = 0;  ///< us from launch to the `created` time of the file
};

}  // namespace scalemark::formats
