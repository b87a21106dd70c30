// SPDX-License-Identifier: Apache-2.0
// What a sensor says at one moment.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace scalemark::hardware {

/// One quantity of a node or a GPU.
struct Quantity {
  std::string name;  ///< snake_case noun
  std::string unit;  ///< UCUM
  double value = 0;
};

/// What could be read; a quantity that could not is missing, never zero.
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
