// SPDX-License-Identifier: Apache-2.0
// Units for display: converts values from base units (s, By/s) to readable ones (us, GB/s).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::text {

/// The unit of a printed column, and its factor to the base unit: {"us", 1e-6}.
struct DisplayUnit {
  std::string symbol;
  double factor = 1;
};
/// The display unit for values of UCUM unit `unit` that are about as large as `typical`.
DisplayUnit display_unit(std::string_view unit, double typical);

/// `value` (in the base unit) converted to `unit`, with `decimals` or four significant digits; "-"
/// for NaN.
std::string metric_cell(double value, const DisplayUnit& unit, std::optional<int> decimals);

/// A fraction in percent, at most five characters: "1.2 %", "35 %", ">999 %"; "-" for NaN.
std::string percent_cell(double fraction);

}  // namespace scalemark::text
