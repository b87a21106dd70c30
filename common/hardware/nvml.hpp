// SPDX-License-Identifier: Apache-2.0
// The GPUs as the driver's management library (NVML) knows them; it is loaded at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/hardware/machine.hpp"

namespace scalemark::hardware {

struct NvmlGpu {
  std::string pci_bus_id;  ///< dddd:bb:dd.f, lower case
  std::string uuid;
  std::string name;
  std::uint64_t memory_bytes = 0;  ///< 0 if unknown
};

struct NvmlState {
  bool available = false;      ///< NVML was loaded, started, and counted its devices
  std::string driver_version;  ///< empty if unknown
  std::vector<NvmlGpu> gpus;   ///< those that this process may use, sorted by PCI bus id
  std::string problem;         ///< why it is not available, or what it would not say
};

/// Asks NVML once. Never throws: without driver or library the reason stands in `problem`.
NvmlState read_nvml(const std::string& library = "libnvidia-ml.so.1");

/// The energy counter of a GPU (Volta and later).
class NvmlEnergy {
 public:
  /// `pci_bus_id` as in NvmlGpu. Never throws: joules() then has nothing.
  explicit NvmlEnergy(const std::string& pci_bus_id,
                      const std::string& library = "libnvidia-ml.so.1");
  ~NvmlEnergy();
  NvmlEnergy(const NvmlEnergy&) = delete;
  NvmlEnergy& operator=(const NvmlEnergy&) = delete;
  /// Since the driver was loaded; nothing if NVML does not tell.
  std::optional<double> joules() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes NVML's devices the machine's GPUs, with the NUMA nodes that PCI gave them. CUDA numbers
/// only what the process may use, so a GPU that NVML does not name is dropped. Without NVML the
/// GPUs stay as they are, and `nvml_problem` says why.
void add_nvml(Machine& machine, const NvmlState& nvml);

}  // namespace scalemark::hardware
