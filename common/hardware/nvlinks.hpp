// SPDX-License-Identifier: Apache-2.0
// Where a GPU's NVLinks lead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/hardware/nvml_library.hpp"

namespace scalemark::hardware {

/// The NVLinks of a GPU that are up.
struct Nvlinks {
  /// Their other ends: "switch", "host" (IBM POWER), a GPU's PCI address, or "" if unknown.
  std::vector<std::string> ends;
  unsigned last = 0;  ///< number of the last one
};

/// Empty if NVML does not report the GPU's links.
std::optional<Nvlinks> read_nvlinks(const nvml::Library& nvml, nvml::Device* device);

}  // namespace scalemark::hardware
