// SPDX-License-Identifier: Apache-2.0
// How busy, fast and hot a node is, as Linux shows it in /proc and /sys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/hardware/machine.hpp"
#include "common/hardware/sensors/rapl.hpp"
#include "common/hardware/sensors/reading.hpp"

namespace scalemark::hardware {

/// What belongs to the run.
struct NodeWatch {
  CpuSet cpus;                 ///< those that ranks are bound to; empty = all
  std::vector<int> processes;  ///< of the ranks; empty = not known here
  std::filesystem::path root = "/";
};

/// Shares and powers are means since the last reading.
class NodeSensors {
 public:
  /// Takes a first look, at `now` (ns). Never throws.
  NodeSensors(NodeWatch watch, std::uint64_t now);

  /// At `now` (ns). Of a node:
  /// - cpu_busy, rank_cpu_busy (1): part of the time in which its CPUs, or those of the ranks, were
  ///   busy; steal (1): in which a hypervisor gave them to others
  /// - other_cpus (1): CPUs that processes other than the ranks kept busy, 0.5 = half of one
  /// - load (1): mean number of runnable tasks in the last minute; runnable (1): now
  /// - core_clock, core_clock_min (Hz): mean and slowest of the ranks' CPUs, now
  /// - throttle_events (1): how often these, or their packages, were slowed down for heat (the sum
  ///   of the kernel's counters of each CPU)
  /// - free_memory (By), package_power (W), temperature (Cel): the hottest CPU zone
  Reading read(std::uint64_t now);

 private:
  /// Clock ticks since the machine was started.
  struct Ticks {
    double busy = 0, stolen = 0, all = 0;
  };
  struct Counters {
    std::uint64_t at = 0;
    std::optional<Ticks> whole, ranks;
    std::optional<double> own;        ///< s of processor time
    std::optional<double> throttled;  ///< events
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
