// SPDX-License-Identifier: Apache-2.0
// Values in the unit that people read them in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::text {

/// The unit of a column and how many SI units it is: {"us", 1e-6}.
struct DisplayUnit {
  std::string symbol;
  double factor = 1;
};
/// A readable unit for values of UCUM unit `unit` about as large as `typical`.
DisplayUnit display_unit(std::string_view unit, double typical);

/// `value` in the unit of the column, by `decimals` or with four significant digits.
std::string metric_cell(double value, const DisplayUnit& unit, std::optional<int> decimals);

/// A fraction in percent, at most five characters: "1.2 %", "35 %", ">999 %"; "-" for NaN.
std::string percent_cell(double fraction);

}  // namespace scalemark::text
