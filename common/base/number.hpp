// SPDX-License-Identifier: Apache-2.0
// Numbers that somebody gives: options, keys of presets, variables of the environment. One rule
// reads them all, so that none of them takes what is no number, no finite one or out of range.
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
  /// The greatest limit of counts, times and bytes; "or more" in texts.
  static constexpr double kNoEnd = 0x1p64;
  static constexpr double kLongestTime = 3.6e7;  ///< 10,000 hours

  Kind kind = Kind::real;
  double low = 0, high = kNoEnd;
  bool above_low = false;  ///< `low` itself is not allowed

  /// Whether `value` is finite and in range.
  bool has(double value) const;
  /// The number in `text`; nothing if it is none, or has() refuses it.
  std::optional<double> read(std::string_view text) const;
  /// A number that read() takes in plain form: "1%" is "1", "500ms" is "0.5", "010" is "10".
  std::string plain(std::string_view text) const;
  /// "1 to 1000", "above 0, up to 100 percent", "a duration from 100ms to 1h, as 30, 500ms, 2m".
  std::string allowed() const;
  /// "is 'nan'; allowed: 1 to 1000": what to say after the name of the option or key.
  std::string refusal(std::string_view text) const;
};

}  // namespace scalemark
