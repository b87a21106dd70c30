// SPDX-License-Identifier: Apache-2.0
// What hwloc's description of a machine says of its processors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark::formats {

struct MachineParts {
  std::size_t packages = 0, cores = 0;
  std::string caches;  ///< "L1: 2 x 32 KiB, L2: 2 x 512 KiB, L3: 1 x 16 MiB"; empty = not told
};

/// Counts the objects of hwloc's XML, version 2.
MachineParts machine_parts(std::string_view xml);

}  // namespace scalemark::formats
