// SPDX-License-Identifier: Apache-2.0
// Chooses units for display and formats values in them.
#include "common/text/display_unit.hpp"

#include <cmath>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"

namespace scalemark::text {

DisplayUnit display_unit(std::string_view unit, double typical) {
  const double size = std::abs(typical);
  // Microseconds up to 10 ms, so that a sweep over sizes stays in one unit.
  if (unit == "s") {
    return size >= 10     ? DisplayUnit{"s", 1}
           : size >= 0.01 ? DisplayUnit{"ms", 1e-3}
                          : DisplayUnit{"us", 1e-6};
  }
  if (unit == "By/s") return {"GB/s", 1e9};
  if (unit == "flop/s") return {"GFLOP/s", 1e9};
  if (unit == "By") return size >= 1048576 ? DisplayUnit{"MiB", 1048576} : DisplayUnit{"B", 1};
  if (unit == "1") return {"", 1};
  std::string symbol = printable(unit, 32);
  std::erase_if(symbol, [](char c) { return c == '{' || c == '}'; });
  return {symbol, 1};
}

std::string metric_cell(double value, const DisplayUnit& unit, std::optional<int> decimals) {
  const double scaled = value / unit.factor;
  if (std::isnan(scaled)) return "-";
  return decimals ? fmt::format("{:.{}f}", scaled, *decimals) : units::significant(scaled);
}

std::string percent_cell(double fraction) {
  const double percent = 100 * fraction;
  if (std::isnan(percent)) return "-";
  if (percent >= 999.5) return ">999 %";
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

}  // namespace scalemark::text
