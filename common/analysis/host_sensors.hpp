// SPDX-License-Identifier: Apache-2.0
// What the sensors of hosts and GPUs say of them: errors, heat, links that are not what they should
// be.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/fleet/node_verdict.hpp"
#include "common/result/model.hpp"

namespace scalemark::analysis {

inline constexpr const char* kNetwork = "network";

/// Something that a sensor says against a host.
struct SensorFinding {
  std::string host;
  std::string component;  ///< "CPU", "GPU", "GPU memory", "copies between host and GPU", "network"
  std::string device;     ///< PCI address of the GPU; empty for the host
  fleet::NodeVerdict verdict = fleet::NodeVerdict::suspect;  ///< or bad
  std::string reason;
};

/// Gathers telemetry and facts of runs.
class HostSensors {
 public:
  void add(const Run& run, const CaseResult& result);

  /// Bad is a GPU with uncorrectable errors of its memory, one whose rows could not be remapped,
  /// and one whose PCIe link has fewer lanes than most of its model. Suspect is a GPU with rows
  /// that wait to be remapped, one that heat slowed for 1 % of the time between two readings or
  /// more, one whose link stays at a lower generation than most of its model, and a host whose CPUs
  /// were throttled by heat or whose network adapters counted errors while it measured. So is a GPU
  /// or a CPU that gets hotter than the median of its model by 15 K and by five standard deviations
  /// (stats::pair_distance()), and one whose highest clock is lower than the median of its model
  /// by 10 % and by five standard deviations. What most have is known from three on.
  std::vector<SensorFinding> findings() const;

 private:
  /// The largest readings of a device.
  struct Readings {
    std::string model;
    std::map<std::string, double> most;
  };
  using Device = std::pair<std::string, std::string>;  ///< host, PCI address or nothing

  /// The rows of table `telemetry/gpu`, or `telemetry/node`. Clocks count only where the case
  /// computes on that device: else they may idle.
  void add_rows(const Run& run, const Table& table, bool on_gpu, bool computes);
  struct Spread {
    double median = 0, deviation = 0;
  };
  using Usual = std::map<std::string, Spread>;  ///< by model
  /// Of the largest readings of a quantity, where at least three devices of a model have some.
  Usual usual(const char* quantity) const;
  /// Calls judge(device, its largest reading, those of its model) for each with enough like it.
  void compare(const char* quantity,
               const std::function<void(const Device&, double own, const Spread&)>& judge) const;
  void judge_alone(const Device& device, const Readings& readings,
                   std::vector<SensorFinding>& found) const;
  /// Names those below the median of a quantity of the PCIe link.
  void judge_links(const char* quantity, const char* what, fleet::NodeVerdict verdict,
                   std::vector<SensorFinding>& found) const;
  void judge_heat(std::vector<SensorFinding>& found) const;
  /// By the highest reading of a clock in Hz.
  void judge_clocks(const char* quantity, std::vector<SensorFinding>& found) const;

  std::map<Device, Readings> devices_;
  std::set<std::string> runs_;  ///< whose facts are known, by UUID
  /// By host, adapter and counter.
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> adapter_errors_;
  std::map<std::string, std::string> remapped_;  ///< fact gpu_remapped_rows of hosts
};

}  // namespace scalemark::analysis
