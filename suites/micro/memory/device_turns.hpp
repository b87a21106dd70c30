// SPDX-License-Identifier: Apache-2.0
// Work of each rank's own device: by all ranks at once, and by one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// What ranks share (the links of several GPUs, the host's memory) shows only while all of them
/// use it.
class DeviceTurns {
 public:
  /// `work`: carries out so many operations, and returns their nanoseconds. `bytes` of one, as
  /// they are counted. `on_gpu`: whether the rank's GPU takes part.
  DeviceTurns(Case& c, std::function<std::uint64_t(std::uint64_t inner)> work, double bytes,
              bool on_gpu);

  /// Collective. Metric `time` of axis `devices`. one: a rank at a time, while the others wait.
  /// all: together, each sample begun together; then metrics alone_time and alone_bandwidth of a
  /// rank at a time, loss (what a rank's bandwidth loses by the others, 1 - alone_time / time, the
  /// largest of all ranks), total_bandwidth, and table `devices` with these numbers of each rank.
  /// `inner`: operations a sample, 0: as many as are well timed. One rank measures `time` alone.
  void measure(std::uint64_t inner);

 private:
  std::uint64_t together(std::uint64_t inner);
  std::uint64_t in_turn(std::uint64_t inner);
  /// This rank's median over the last samples, in nanoseconds of an operation.
  double median_of_last(const std::string& metric) const;
  void record_losses(double alone, double time);

  Case& c_;
  std::function<std::uint64_t(std::uint64_t)> work_;
  double bytes_;
  bool on_gpu_;
  std::vector<std::uint64_t> taken_;
};

/// Declares axis `devices`: one, all. One rank alone is both.
void devices_axis(Benchmark& benchmark);

}  // namespace scalemark::micro
