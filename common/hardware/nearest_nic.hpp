// SPDX-License-Identifier: Apache-2.0
// The network adapter beside a GPU or a NUMA node.
#pragma once

#include <string>

#include "common/hardware/machine.hpp"

namespace scalemark::hardware {

/// Name of the adapter that shares the most PCI bridges with the GPU at this address; where no
/// adapter shares one, or there is no such GPU, of the adapter on the NUMA node. Those of RDMA
/// count alone if there are some. Empty if none or several are as near: MPI and NCCL may use any of
/// them.
std::string nearest_nic(const Machine& machine, const std::string& gpu_pci, int numa);

}  // namespace scalemark::hardware
