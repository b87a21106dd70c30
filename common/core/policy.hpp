// SPDX-License-Identifier: Apache-2.0
// How to measure a case: one plain struct, passed by value, stored with the result.
#pragma once

#include <optional>
#include <string>

namespace scalemark {

/// How many samples a case takes, and when it stops.
struct SamplingPolicy {
  std::optional<int> iterations;  ///< exact number of timed samples (stop rule "count")
  /// Timed operations, as OSU and IMB count them: as many samples as hold them (stop rule "count"),
  /// at least min_samples where there are so many operations. `warmup` then counts operations too.
  std::optional<int> operations;
  std::optional<int> warmup;  ///< untimed samples before; default by the benchmark
  double ci_percent = 2.0;    ///< stop when the interval of the median is within +- this
  int min_samples = 20;  ///< never fewer, unless `iterations`, `operations` or `max_time` says so
  int max_samples = 100'000;
  double min_time = 0.0;  ///< seconds of timed samples at least
  double max_time = 1.0;  ///< seconds of timed samples at most, per case
  /// Bytes that the samples of a case move at most, by the rule of Work::bytes: big messages get
  /// fewer samples (as IMB's overall volume does), but no fewer than min_samples.
  double max_volume = 4.0 * (1ULL << 30U);
  bool verify = true;
};

/// Fields of a policy set by a preset, a preset entry or the command line.
struct PolicyChange {
  std::optional<int> iterations, operations, warmup, min_samples, max_samples;
  std::optional<double> ci_percent, min_time, max_time, max_volume;
  std::optional<bool> verify;

  /// `base` with the set fields replaced. Throws UsageError for values out of range, and for
  /// iterations and operations in one change; of two changes the later one holds.
  SamplingPolicy apply(SamplingPolicy base) const;
};

/// The policy as text, for the config hash and the file.
std::string to_text(const SamplingPolicy& policy);

}  // namespace scalemark
