// SPDX-License-Identifier: Apache-2.0
// What an operation moves and computes, and the rates that follow from its duration.
#pragma once

#include <string>

#include "common/core/case/context.hpp"
#include "common/core/case/recorder.hpp"
#include "common/core/peaks/link_use.hpp"

namespace scalemark {

class PeakLookup;

/// What the timed operation of a row moves and computes; see docs/measuring.
struct Work {
  double bytes = 0;       ///< per operation, the numerator of `bandwidth`; 0 = no such row
  double bus_factor = 0;  ///< nccl-tests' factor for bus_bandwidth; 0 = no such row
  /// Bytes of memory traffic per operation, if different from `bytes`: a copy reads and writes.
  /// Where `bytes` is 0, this is stored only as fact moved_bytes.
  double moved = 0;
  double messages = 0;         ///< per operation, the numerator of `message_rate`; 0 = no such row
  double flops = 0;            ///< per operation and rank; 0 = no such row
  std::string precision = {};  ///< of the FLOPs (fp64, fp32, ...); selects the peak
  std::string formula = {};    ///< "S * 2(n-1)/n / time"
  /// The link or memory that carries the bytes. Adds peak_fraction of bus_bandwidth (else of
  /// bandwidth), or the reason why it is missing. If unstated and `flops` is set, peak_fraction
  /// refers to the FLOPs.
  Carrier carrier = Carrier::unstated;
  LinkBytes link_bytes =
      {};                ///< bytes at the link's busiest end; default `bytes`, for memory `moved`
  int memory_node = -1;  ///< NUMA node of the host memory; -1: the rank's own
  bool in_turn = false;  ///< ranks run one at a time and do not share bandwidth
};

/// Holds the work of a case and derives its rates.
class WorkRates {
 public:
  WorkRates(CaseRecorder& recorder, PeakLookup& peaks) : recorder_(recorder), peaks_(peaks) {}

  /// Sets the work, and stores fact moved_bytes for copies and for memory traffic.
  void set(const Work& work);
  const Work& work() const { return work_; }
  /// Collective. Stores bandwidth, bus_bandwidth, message_rate, achieved_flops and peak_fraction,
  /// as far as the work states them, derived from duration metric `duration`.
  void record(const std::string& duration);

 private:
  CaseRecorder& recorder_;
  PeakLookup& peaks_;
  Work work_;
};

}  // namespace scalemark
