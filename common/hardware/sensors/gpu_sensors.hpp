// SPDX-License-Identifier: Apache-2.0
// How fast, hot and healthy a GPU is, and how it is set up, as NVML tells.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "common/hardware/sensors/reading.hpp"

namespace scalemark::hardware {

class GpuSensors {
 public:
  /// `pci_bus_id` as in Gpu. Never throws: read() then has nothing.
  explicit GpuSensors(const std::string& pci_bus_id,
                      const std::string& library = "libnvidia-ml.so.1");
  ~GpuSensors();
  GpuSensors(const GpuSensors&) = delete;
  GpuSensors& operator=(const GpuSensors&) = delete;

  bool found() const;
  /// Now:
  /// - sm_clock, memory_clock (Hz), power (W), temperature (Cel)
  /// - power_capped, heat_slowed (1): part of the time since the last reading in which the clocks
  ///   were held down by the power limit, or by heat
  /// - ecc_corrected, ecc_uncorrected (1): errors since the driver was loaded
  /// - pcie_generation, pcie_width (1)
  /// - text clock_event_reasons: what holds the clocks down right now, "none" or names such as
  ///   sw_power_cap joined by "+"
  Reading read();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether one of the reasons (as above) is heat or the board's protection. Neither the power limit
/// nor idling is: they belong to normal work.
bool is_slowed_down(const std::string& clock_event_reasons);

/// Settings of GPUs by address: vbios, power limits, ecc, mig, persistence, compute mode, maximum
/// clocks and PCIe link, remapped rows. What NVML does not tell is "unavailable: reason"; a GPU
/// that it does not know is missing.
std::map<std::string, std::map<std::string, std::string>> gpu_settings(
    std::span<const std::string> pci_bus_ids, const std::string& library = "libnvidia-ml.so.1");

}  // namespace scalemark::hardware
