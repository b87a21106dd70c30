// SPDX-License-Identifier: Apache-2.0
// How much later than the first rank each rank entered an operation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/core/case/context.hpp"
#include "common/core/case/recorder.hpp"

namespace scalemark {

struct MeasureOptions;

/// Start times of a rank's samples on the common clock, and how accurate that clock was.
class Lateness {
 public:
  Lateness(const CaseContext& context, const MeasureOptions& options);

  /// Whether samples need the common clock: to compare their start times, or to start at a set
  /// time.
  bool uses_clock() const { return uses_clock_; }
  /// After a synchronisation: stores its accuracy, and calls convert().
  void note_sync(std::span<const std::uint64_t> began);
  /// Converts the start times not yet converted to the common clock. `began`: all of them, as
  /// now_ns().
  void convert(std::span<const std::uint64_t> began);
  /// Collective. Stores metrics lateness and elapsed_time of the samples of `duration`, and facts
  /// about the common clock. Does nothing where ranks do not start samples together.
  void record(CaseRecorder& recorder, const std::string& duration) const;

 private:
  /// Metrics on rank 0 from the start times and durations of all ranks; empty on other ranks.
  struct Computed {
    std::vector<std::uint64_t> lateness;  ///< [rank][iteration]
    std::vector<std::uint64_t> elapsed;   ///< [iteration]
  };
  Computed compute(const std::string& duration) const;

  const CaseContext& context_;
  bool is_recorded_, uses_clock_;
  std::vector<std::uint64_t> entered_;  ///< start times on the common clock
  /// The last synchronisation before the samples and those between them: their number, and the
  /// worst accuracy.
  std::int64_t syncs_ = 0;
  std::uint64_t residual_ns_ = 0, round_trip_ns_ = 0;
};

}  // namespace scalemark
