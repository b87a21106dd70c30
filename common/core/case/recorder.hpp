// SPDX-License-Identifier: Apache-2.0
// Metrics, tables, facts and verified data of a case, written into its row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/core/case/context.hpp"
#include "common/core/case/verification.hpp"
#include "common/result/model.hpp"

namespace scalemark {

/// What a rank did from when to when, as now_ns(). The kinds are in analysis/timeline.hpp.
struct Interval {
  std::string_view what;    ///< a literal: epoch, epoch_start_pause, test, test_pause, step
  std::uint64_t index = 0;  ///< which epoch or step, from 1
  std::uint64_t from = 0, to = 0;
};

/// The first metric recorded is the primary one until set_primary().
class CaseRecorder {
 public:
  explicit CaseRecorder(const CaseContext& context) : context_(context) {}

  /// Collective. Stores a metric that the benchmark measured itself: this rank's values, one per
  /// iteration, the same count on all ranks.
  void record(const std::string& name, const std::string& unit, Better better, MetricKind kind,
              RankReduce reduce, std::span<const double> values, const std::string& formula,
              std::span<const std::uint8_t> warmup);
  /// Collective. The same for durations. Returns the metric, for its scale and its operations per
  /// sample; valid until the next metric.
  Metric& record_durations(const std::string& name, std::span<const std::uint64_t> nanoseconds,
                           RankReduce reduce, std::span<const std::uint8_t> warmup = {},
                           const std::string& formula = {});
  /// A rate derived from duration metric `source`: numerator / time.
  void record_rate(const std::string& name, const std::string& unit, const std::string& source,
                   double numerator, const std::string& formula);
  /// Adds a metric whose samples are complete.
  Metric& add(Metric metric);
  /// The metric that a reader sees first.
  void set_primary(const std::string& metric);
  /// Start time of each iteration of a recorded metric, as now_ns(). Used on rank 0 only; ignored
  /// unless there is one value per iteration.
  void began(const std::string& metric, std::span<const std::uint64_t> at);
  /// Flags the iterations of a recorded metric that are not what was to be measured (1 = flag).
  /// Used on rank 0 only.
  void invalid(const std::string& metric, std::span<const std::uint8_t> iterations);

  /// Stores a table of further observations with the result; used on rank 0 only.
  void table(const std::string& name, Table table);
  /// Collective. Stores table timeline: what each rank did, on rank 0's clock. Of a kind, the first
  /// 2,000 intervals of a rank are stored; fewer on more than 500 ranks.
  void timeline(std::span<const Interval> mine);
  /// A fact that is not part of the key: requested_bytes, images_seen, data_set.
  void fact(const std::string& name, Value value);
  /// Collective. Adds a check to the row; `rule` says what was compared. Throws WrongData on the
  /// rank that found wrong elements, and PeerFailed on the others.
  void verified(const std::string& rule, Checked checked);

 private:
  const CaseContext& context_;
};

}  // namespace scalemark
