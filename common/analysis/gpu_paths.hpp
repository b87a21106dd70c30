// SPDX-License-Identifier: Apache-2.0
// The matrix of paths between the GPUs of a node, as fact gpu_paths of a run stores it.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// [i][j]: from GPU i to GPU j, in the order of their PCI addresses: X, NV18, PIX, ...
/// (hardware/gpu_paths.hpp)
using GpuPaths = std::vector<std::vector<std::string>>;

/// Reads "X NV18; NV18 X". Empty where it is no such matrix of 2 to 64 GPUs.
GpuPaths parse_gpu_paths(std::string_view fact);

/// The matrix as a text table, each line behind `indent`; nothing if it is empty.
std::string gpu_paths_table(const GpuPaths& paths, std::string_view indent);

/// Prints the matrices of a run, of each kind of node.
void print_gpu_paths(const Run& run, std::ostream& out);

/// What the words of a matrix mean, for legends.
constexpr const char* kGpuPathWords =
    "NV: NVLinks; PIX: one PCI bridge; PXB: several; PHB: the CPU's host bridge; NODE: within a "
    "NUMA node; SYS: between NUMA nodes";

}  // namespace scalemark::analysis
