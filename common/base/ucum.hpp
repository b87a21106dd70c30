// SPDX-License-Identifier: Apache-2.0
// Converts units to base units: 5 ms and 5000 us are both 0.005 s.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::units {

struct BaseUnit {
  std::string unit;
  double factor = 1;  ///< value in `unit` = factor * value in the given unit
};

/// The unit without its prefixes (UCUM 2.1: metric ones, and Ki to Ti), also in quotients. Base
/// units are s (also for min, h, d), By (also for bit), Hz, J, W, V, A, K, g, m and flop; % becomes
/// 1. Other parts, such as the annotation {token}, stay as they are.
BaseUnit base_unit(std::string_view unit);

}  // namespace scalemark::units
