// SPDX-License-Identifier: Apache-2.0
// Machines of tests/topologies.
#pragma once

#include <string>

#include "common/hardware/machine.hpp"

namespace scalemark::hardware {

/// The machine that tests/topologies/NAME.xml describes.
inline Machine load(const std::string& name) {
  return read_machine_xml(std::string(SCALEMARK_SOURCE_DIR) + "/tests/topologies/" + name + ".xml");
}

}  // namespace scalemark::hardware
