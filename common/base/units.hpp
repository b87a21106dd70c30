// SPDX-License-Identifier: Apache-2.0
// Formats numbers with units for people. The program itself uses SI units without prefixes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace scalemark::units {

/// Plain notation with `digits` significant digits; all integer digits are kept. NaN gives "-".
std::string significant(double value, int digits = 4);

/// Bytes with a binary prefix: 8 B, 1 KiB, 1.5 MiB.
std::string bytes(std::uint64_t value);

/// Seconds as ns, us, ms or s with `digits` significant digits.
std::string seconds(double value, int digits = 4);

/// A waiting time: 0.4 s, 35 s, 4 min 10 s, 2 h 5 min. Negative values and NaN give "-".
std::string waiting_time(double seconds);

/// A value in the UCUM unit `unit` ("s", "By/s", "flop/s", "1", "J", ...) with a readable prefix:
/// 1.5e9 By/s gives "1.500 GB/s". NaN gives "-".
std::string quantity(double value, std::string_view unit, int digits = 4);

/// A ratio as signed percent: 1.05 gives "+5.0 %".
std::string percent_change(double ratio);

}  // namespace scalemark::units
