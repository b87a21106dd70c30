// SPDX-License-Identifier: Apache-2.0
// How the GPUs of a node reach each other.
#pragma once

#include <string>
#include <vector>

#include "common/hardware/machine.hpp"

namespace scalemark::hardware {

/// [i][j]: from GPU i to GPU j, in the order of machine.gpus, by the names of `nvidia-smi topo -m`:
///   X      the GPU itself
///   NV18   18 NVLinks, directly or over switches
///   PIX    at most one PCI bridge;  PXB  several PCI bridges;  PHB  the CPU's host bridge
///   NODE   host bridges of one NUMA node;  SYS  the connection between NUMA nodes
///   ?      unknown
/// NVLinks come from NVML, the rest from hwloc. Never throws.
std::vector<std::vector<std::string>> gpu_paths(const Machine& machine,
                                                const std::string& library = "libnvidia-ml.so.1");

/// The same over PCI alone.
std::string pci_path(const Gpu& a, const Gpu& b);

}  // namespace scalemark::hardware
