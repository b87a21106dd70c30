// SPDX-License-Identifier: Apache-2.0
// Samples clocks, power, temperature and errors of a GPU with NVML, and reads its settings.
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
  /// `pci_bus_id` as in Gpu. Never throws; if NVML or the GPU is missing, read() returns nothing.
  explicit GpuSensors(const std::string& pci_bus_id,
                      const std::string& library = "libnvidia-ml.so.1");
  ~GpuSensors();
  GpuSensors(const GpuSensors&) = delete;
  GpuSensors& operator=(const GpuSensors&) = delete;

  bool found() const;
  /// Takes a reading now. Missing values are left out. Quantities:
  /// - sm_clock, memory_clock (Hz), power (W), temperature (Cel)
  /// - power_capped, heat_slowed (1): fraction of the time since the previous reading in which the
  ///   power limit, or heat, reduced the clocks
  /// - ecc_corrected, ecc_uncorrected (1): ECC errors since the driver was loaded
  /// - pcie_generation, pcie_width (1): of the current PCIe link
  /// - text clock_event_reasons: why the clocks are reduced now: "none", or names such as
  ///   sw_power_cap joined by "+"
  Reading read();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether one of the reasons (text as above) is overheating or board protection. The power limit
/// and idling do not count: they belong to normal work.
bool is_slowed_down(const std::string& clock_event_reasons);

/// Settings of each GPU, by PCI address: VBIOS, power limits, ECC, MIG, persistence, compute mode,
/// maximum clocks and PCIe link, remapped rows. A setting that NVML does not report is
/// "unavailable: reason". GPUs that NVML does not list are left out.
std::map<std::string, std::map<std::string, std::string>> gpu_settings(
    std::span<const std::string> pci_bus_ids, const std::string& library = "libnvidia-ml.so.1");

}  // namespace scalemark::hardware
