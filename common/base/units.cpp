// SPDX-License-Identifier: Apache-2.0
// Formats numbers with readable prefixes.
#include "common/base/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace scalemark::units {
namespace {

struct Prefix {
  const char* name;
  double factor;
};

/// Value with the largest prefix that leaves at least 1 after rounding to `digits`.
std::string with_prefix(double value, int digits, const Prefix* prefixes, std::size_t count,
                        const char* unit) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value) || value == 0) return fmt::format("{} {}", value, unit);
  const double rounding = 1 - 0.5 * std::pow(10.0, -digits);
  std::size_t chosen = 0;
  while (chosen + 1 < count && std::abs(value) >= prefixes[chosen + 1].factor * rounding) ++chosen;
  double scaled = value / prefixes[chosen].factor;
  // 999.96 with four digits rounds to 1000, which is shown as 1.000 with the next prefix.
  if (std::abs(scaled) < 1 && std::abs(scaled) >= rounding) scaled = std::copysign(1.0, scaled);
  return fmt::format("{} {}{}", significant(scaled, digits), prefixes[chosen].name, unit);
}

constexpr std::array kTime = {Prefix{"n", 1e-9}, Prefix{"u", 1e-6}, Prefix{"m", 1e-3},
                              Prefix{"", 1}};
constexpr std::array kRate = {Prefix{"", 1},    Prefix{"k", 1e3},  Prefix{"M", 1e6},
                              Prefix{"G", 1e9}, Prefix{"T", 1e12}, Prefix{"P", 1e15}};
constexpr std::array kAny = {Prefix{"u", 1e-6}, Prefix{"m", 1e-3}, Prefix{"", 1},
                             Prefix{"k", 1e3},  Prefix{"M", 1e6},  Prefix{"G", 1e9}};

}  // namespace

std::string significant(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (value == 0 || std::isinf(value)) return fmt::format("{}", value);
  // The exponent after rounding: 9.9996 with four digits is 10.00, not 10.000.
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const int magnitude = std::atoi(rounded.c_str() + rounded.find('e') + 1);
  return fmt::format("{:.{}f}", value, std::clamp(digits - 1 - magnitude, 0, 17));
}

std::string bytes(std::uint64_t value) {
  constexpr std::array kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  constexpr std::uint64_t kShownPlain = 10240;
  std::size_t chosen = 0;
  std::uint64_t unit = 1;
  while (chosen + 1 < kNames.size() && value / unit >= 1024) {
    unit *= 1024;
    ++chosen;
  }
  const bool whole = value % unit == 0;
  const bool half = chosen > 0 && value % (unit / 2) == 0;
  if (whole) return fmt::format("{} {}", value / unit, kNames[chosen]);
  if (half) return fmt::format("{}.5 {}", value / unit, kNames[chosen]);
  if (value < kShownPlain) return fmt::format("{} B", value);
  return fmt::format("{:.4g} {}", static_cast<double>(value) / static_cast<double>(unit),
                     kNames[chosen]);
}

std::string seconds(double value, int digits) {
  return with_prefix(value, digits, kTime.data(), kTime.size(), "s");
}

std::string waiting_time(double seconds) {
  constexpr double kLongest = 1e12;
  if (!(seconds >= 0 && seconds < kLongest)) return "-";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  const std::uint64_t minutes = whole / 60, hours = minutes / 60;
  if (minutes == 0) return fmt::format("{} s", whole);
  if (hours == 0) return fmt::format("{} min {} s", minutes, whole % 60);
  return fmt::format("{} h {} min", hours, minutes % 60);
}

std::string quantity(double value, std::string_view unit, int digits) {
  if (std::isnan(value)) return "-";
  if (unit == "s") return seconds(value, digits);
  if (unit == "By/s") return with_prefix(value, digits, kRate.data(), kRate.size(), "B/s");
  if (unit == "flop/s") return with_prefix(value, digits, kRate.data(), kRate.size(), "FLOP/s");
  if (unit == "flop") return with_prefix(value, digits, kRate.data(), kRate.size(), "FLOP");
  // A mean over runs can have a fraction of a byte, which is not shown.
  if (unit == "By" && value >= 0 && value < 0x1p63) {
    return bytes(static_cast<std::uint64_t>(std::llround(value)));
  }
  for (const char* prefixed : {"J", "W", "Hz"}) {
    if (unit == prefixed) return with_prefix(value, digits, kAny.data(), kAny.size(), prefixed);
  }
  // UCUM writes counted things as annotations: {token}/s is shown as token/s.
  std::string plain(unit);
  plain.erase(
      std::remove_if(plain.begin(), plain.end(), [](char c) { return c == '{' || c == '}'; }),
      plain.end());
  if (plain.empty() || plain == "1") return significant(value, digits);
  return fmt::format("{} {}", significant(value, digits), plain);
}

std::string percent_change(double ratio) {
  if (std::isnan(ratio)) return "-";
  const double percent = (ratio - 1) * 100;
  return fmt::format("{:+.1f} %", std::abs(percent) < 0.05 ? 0.0 : percent);
}

}  // namespace scalemark::units
