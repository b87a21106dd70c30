// SPDX-License-Identifier: Apache-2.0
// Values that a sensor reports at one moment.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace scalemark::hardware {

/// One value of a node or a GPU.
struct Quantity {
  std::string name;  ///< snake_case noun
  std::string unit;  ///< UCUM
  double value = 0;
};

/// The values that could be read. A value that could not be read is missing, never zero.
struct Reading {
  std::vector<Quantity> quantities;
  std::map<std::string, std::string> texts;

  const double* find(const std::string& name) const {
    for (const Quantity& one : quantities) {
      if (one.name == name) return &one.value;
    }
    return nullptr;
  }
};

}  // namespace scalemark::hardware
