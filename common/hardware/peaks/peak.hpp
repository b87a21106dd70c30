// SPDX-License-Identifier: Apache-2.0
// The highest rate of a piece of hardware, or why nobody knows it.
#pragma once

#include <string>
#include <utility>

namespace scalemark::hardware {

struct Peak {
  double value = 0;     ///< B/s or flop/s; 0: nobody knows
  std::string source;   ///< "PCIe 5.0 x16, theoretical", "data sheet of NVIDIA H200", "--peak"
  std::string missing;  ///< why it is not known; empty if it is

  bool is_known() const { return value > 0; }
};

inline Peak unknown_peak(std::string reason) { return {0, {}, std::move(reason)}; }

}  // namespace scalemark::hardware
