// SPDX-License-Identifier: Apache-2.0
// Packages, cores and caches of a machine, from hwloc's XML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark::formats {

struct MachineParts {
  std::size_t packages = 0, cores = 0;
  std::string caches;  ///< "L1: 2 x 32 KiB, L2: 2 x 512 KiB, L3: 1 x 16 MiB"; empty = unknown
};

/// Counts the objects in hwloc's XML (version 2).
MachineParts machine_parts(std::string_view xml);

}  // namespace scalemark::formats
