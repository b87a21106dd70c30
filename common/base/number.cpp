// SPDX-License-Identifier: Apache-2.0
// Parses numbers and explains which are allowed.
#include "common/base/number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark {
namespace {

using Kind = NumberRule::Kind;

/// The complete `text` as a decimal number. from_chars accepts "nan" and "inf", which has()
/// refuses.
template <class T>
std::optional<double> whole(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || rest != end) return std::nullopt;
  return static_cast<double>(number);
}

std::string_view without_percent(std::string_view text) {
  if (!text.ends_with('%')) return text;
  text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// "100ms", "2h", "1.5s".
std::string duration(double seconds) {
  if (seconds == 0) return "0";
  if (seconds >= 3600 && std::fmod(seconds, 3600) == 0)
    return fmt::format("{:.0f}h", seconds / 3600);
  if (seconds >= 1) return fmt::format("{}s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.4g}ms", seconds * 1e3)
                         : fmt::format("{:.4g}us", seconds * 1e6);
}

/// "4G", "1000".
std::string size(double bytes) {
  constexpr std::array kNames = {"", "K", "M", "G", "T"};
  std::size_t name = 0;
  while (name + 1 < kNames.size() && bytes >= 1024 && std::fmod(bytes, 1024) == 0) {
    bytes /= 1024;
    ++name;
  }
  return fmt::format("{:.0f}{}", bytes, kNames[name]);
}

std::string shown(Kind kind, double value) {
  if (kind == Kind::seconds) return duration(value);
  return kind == Kind::bytes ? size(value) : fmt::format("{}", value);
}

}  // namespace

bool NumberRule::has(double value) const {
  return std::isfinite(value) && (above_low ? value > low : value >= low) && value <= high;
}

std::optional<double> NumberRule::read(std::string_view text) const {
  std::optional<double> value;
  switch (kind) {
    case Kind::integer:
      value = text.starts_with('-') ? whole<std::int64_t>(text) : whole<std::uint64_t>(text);
      break;
    case Kind::real:
      value = whole<double>(text);
      break;
    case Kind::percent:
      value = whole<double>(without_percent(text));
      break;
    case Kind::seconds:
      value = text::parse_seconds(text);
      break;
    case Kind::bytes:
      if (const auto bytes = text::parse_integer(text)) value = static_cast<double>(*bytes);
      break;
  }
  return value && has(*value) ? value : std::nullopt;
}

std::string NumberRule::plain(std::string_view text) const {
  if (kind != Kind::integer) return fmt::format("{}", read(text).value_or(0));
  // Works on the text, because a double cannot hold all 64-bit integers.
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  return fmt::format("{}{}", negative ? "-" : "", std::string(text));
}

std::string NumberRule::allowed() const {
  const std::string first = shown(kind, low);
  std::string range = above_low ? fmt::format("above {}", first) : first;
  if (high >= kNoEnd)
    range += above_low ? "" : " or more";
  else
    range += fmt::format("{}{}", above_low ? ", up to " : " to ", shown(kind, high));
  switch (kind) {
    case Kind::percent:
      return range + " percent";
    case Kind::seconds:
      return fmt::format("a duration {}{}, as 30, 500ms, 2m",
                         above_low || high >= kNoEnd ? "" : "from ", range);
    case Kind::bytes:
      return fmt::format("{} bytes, as 8, 4K, 1M", range);
    default:
      return range;
  }
}

std::string NumberRule::refusal(std::string_view text) const {
  return fmt::format("is '{}'; allowed: {}", text::printable(text, 80), allowed());
}

}  // namespace scalemark
