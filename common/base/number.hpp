// SPDX-License-Identifier: Apache-2.0
// Numbers from users: options, preset keys, environment variables. All are parsed by the same rule,
// so that text, NaN, infinity and values out of range are always refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark {

struct NumberRule {
  enum class Kind {
    integer,  ///< 10
    real,     ///< 0.5
    percent,  ///< 1 or 1%
    seconds,  ///< 30, 500ms, 2m
    bytes,    ///< 8, 4K
  };
  /// No upper limit; texts then say "or more".
  static constexpr double kNoEnd = 0x1p64;
  static constexpr double kLongestTime = 3.6e7;  ///< 10,000 hours

  Kind kind = Kind::real;
  double low = 0, high = kNoEnd;
  bool above_low = false;  ///< `low` itself is not allowed

  /// Whether `value` is finite and in range.
  bool has(double value) const;
  /// The number in `text`; nothing if it is not a number or has() refuses it.
  std::optional<double> read(std::string_view text) const;
  /// A number that read() accepts, in plain form: "1%" gives "1", "500ms" "0.5", "010" "10".
  std::string plain(std::string_view text) const;
  /// The allowed range: "1 to 1000", "above 0, up to 100 percent", "a duration from 100ms to 1h, as
  /// 30, 500ms, 2m".
  std::string allowed() const;
  /// "is 'nan'; allowed: 1 to 1000": follows the name of the option or key in a message.
  std::string refusal(std::string_view text) const;
};

}  // namespace scalemark
