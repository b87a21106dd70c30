// SPDX-License-Identifier: Apache-2.0
// Samples how busy, fast and hot a node is, from /proc and /sys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/hardware/machine.hpp"
#include "common/hardware/sensors/rapl.hpp"
#include "common/hardware/sensors/reading.hpp"

namespace scalemark::hardware {

/// What to watch on the node.
struct NodeWatch {
  CpuSet cpus;                 ///< CPUs that the ranks are bound to; empty: all
  std::vector<int> processes;  ///< process ids of the ranks; empty if unknown
  std::filesystem::path root = "/";
};

/// Sampler of a node. Fractions of time and powers are means since the previous reading.
class NodeSensors {
 public:
  /// Takes the first reading at `now` (ns). Never throws.
  NodeSensors(NodeWatch watch, std::uint64_t now);

  /// Takes a reading at `now` (ns). Missing values are left out. Quantities:
  /// - cpu_busy (1): fraction of time in which the node's CPUs were busy
  /// - rank_cpu_busy (1): the same for the ranks' CPUs
  /// - steal (1): fraction of time that the hypervisor gave to other virtual machines
  /// - other_cpus (1): number of CPUs kept busy by processes other than the ranks, 0.5 = half a CPU
  /// - load (1): load average over the last minute
  /// - runnable (1): number of runnable tasks now
  /// - core_clock, core_clock_min (Hz): mean and minimum over the ranks' CPUs, now
  /// - throttle_events (1): thermal throttling events of these CPUs and their packages since the
  ///   previous reading (by the kernel's counters of each CPU)
  /// - free_memory (By): available memory
  /// - package_power (W): mean power of all CPU packages
  /// - temperature (Cel): hottest CPU sensor
  Reading read(std::uint64_t now);

 private:
  /// Clock ticks since boot.
  struct Ticks {
    double busy = 0, stolen = 0, all = 0;
  };
  struct Counters {
    std::uint64_t at = 0;
    std::optional<Ticks> whole, ranks;
    std::optional<double> own;        ///< s of CPU time of the ranks' processes
    std::optional<double> throttled;  ///< number of throttling events
    std::optional<double> joules;
  };
  Counters count(std::uint64_t now);
  void read_ticks(Counters& counters, std::optional<double>& runnable) const;
  std::optional<double> own_time() const;
  std::optional<double> throttle_events() const;
  void add_clocks(Reading& reading) const;
  std::optional<double> temperature() const;
  void add_changes(const Counters& now, Reading& reading) const;

  NodeWatch watch_;
  RaplEnergy energy_;
  std::vector<std::filesystem::path> temperatures_;
  std::optional<double> runnable_;
  Counters last_;
};

}  // namespace scalemark::hardware
