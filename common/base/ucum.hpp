// SPDX-License-Identifier: Apache-2.0
// Units of one dimension brought together: 5 ms and 5000 us are 0.005 s.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::units {

struct BaseUnit {
  std::string unit;
  double factor = 1;  ///< value in `unit` = factor * value in the unit that was given
};

/// The unit without its prefixes (UCUM 2.1: metric ones, and Ki to Ti), in quotients of s (also
/// min, h, d), By (also bit), Hz, J, W, V, A, K, g, m, flop; % becomes 1. What else stands in a
/// quotient, annotations like {token} among it, stays as it is.
BaseUnit base_unit(std::string_view unit);

}  // namespace scalemark::units
