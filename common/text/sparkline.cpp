// SPDX-License-Identifier: Apache-2.0
// Draws sparklines.
#include "common/text/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace scalemark::text {
namespace {

constexpr std::array<std::string_view, 7> kBlocks = {"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
                                                     "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86",
                                                     "\xe2\x96\x88"};
constexpr std::array<std::string_view, 7> kPlain = {"_", ".", "-", "=", "+", "*", "#"};

}  // namespace

std::string spark_line(std::span<const double> values, double limit, bool utf8) {
  constexpr double kMiddle = 3;  // of seven levels: an odd number, so that 0 has a level of its own
  std::string line;
  for (const double value : values) {
    if (std::isnan(value) || !(limit > 0)) {
      line += '?';
      continue;
    }
    const double level = std::round(kMiddle + kMiddle * std::clamp(value / limit, -1.0, 1.0));
    line += (utf8 ? kBlocks : kPlain).at(static_cast<std::size_t>(level));
  }
  return line;
}

}  // namespace scalemark::text
