// SPDX-License-Identifier: Apache-2.0
// GPUs and their energy as NVML (the NVIDIA driver's management library) reports them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/hardware/machine.hpp"

namespace scalemark::hardware {

/// A GPU as NVML describes it.
struct NvmlGpu {
  std::string pci_bus_id;  ///< dddd:bb:dd.f, lower case
  std::string uuid;
  std::string name;
  std::uint64_t memory_bytes = 0;      ///< 0 if unknown
  std::vector<std::string> instances;  ///< as Gpu::instances
};

/// What NVML says of this node.
struct NvmlState {
  bool available = false;      ///< NVML was loaded and initialised, and counted its devices
  std::string driver_version;  ///< empty if unknown
  std::vector<NvmlGpu> gpus;   ///< GPUs that this process may use, sorted by PCI bus id
  /// why NVML is not available, or which device it could not describe; empty if none
  std::string problem;
};

/// Reads all GPUs from NVML. Never throws: without driver or library, `problem` says why.
NvmlState read_nvml(const std::string& library = "libnvidia-ml.so.1");

/// The energy counter of a GPU (Volta and later).
class NvmlEnergy {
 public:
  /// `pci_bus_id`: dddd:bb:dd.f, lower case. Never throws; if it fails, joules() returns nothing.
  explicit NvmlEnergy(const std::string& pci_bus_id,
                      const std::string& library = "libnvidia-ml.so.1");
  ~NvmlEnergy();
  NvmlEnergy(const NvmlEnergy&) = delete;
  NvmlEnergy& operator=(const NvmlEnergy&) = delete;
  /// Energy in J since the driver was loaded; nothing if NVML does not report it.
  std::optional<double> joules() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Replaces the machine's GPUs by those that NVML lists, and keeps the NUMA nodes known from PCI.
/// GPUs that NVML does not list are dropped, because CUDA counts only those that the process may
/// use. Without NVML the GPUs stay, and `nvml_problem` says why.
void add_nvml(Machine& machine, const NvmlState& nvml);

}  // namespace scalemark::hardware
