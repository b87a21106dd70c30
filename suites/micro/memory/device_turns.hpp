// SPDX-License-Identifier: Apache-2.0
// Times the work of each rank's device: all ranks at once, and one rank at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Contention for shared resources (links of several GPUs, host memory) shows only while all ranks
/// use them.
class DeviceTurns {
 public:
  /// `work` runs `inner` operations and returns their nanoseconds. `bytes`: counted bytes per
  /// operation. `on_gpu`: whether the rank's GPU takes part.
  DeviceTurns(Case& c, std::function<std::uint64_t(std::uint64_t inner)> work, double bytes,
              bool on_gpu);

  /// Collective. Records metric `time` by axis `devices`. one: one rank at a time, while the others
  /// wait. all: all ranks start each sample together. It also records alone_time and
  /// alone_bandwidth (one rank at a time), total_bandwidth, and loss: the part of its bandwidth
  /// that a rank loses to the others, 1 - alone_time / time, maximum over ranks. Table `devices`
  /// has these values per rank. `inner`: operations per sample; 0: chosen by the harness. With one
  /// rank, only `time` is recorded.
  void measure(std::uint64_t inner);

 private:
  std::uint64_t together(std::uint64_t inner);
  std::uint64_t in_turn(std::uint64_t inner);
  /// This rank's median over the last `timed` samples, in nanoseconds per operation.
  double median_of_last(std::size_t timed, const std::string& metric) const;
  void record_losses(double alone, double time);

  Case& c_;
  std::function<std::uint64_t(std::uint64_t)> work_;
  double bytes_;
  bool on_gpu_;
  std::vector<std::uint64_t> taken_;
};

/// Declares axis `devices`: one, all. With a single rank the value is always all.
void devices_axis(Benchmark& benchmark);

}  // namespace scalemark::micro
