// SPDX-License-Identifier: Apache-2.0
// From values to places in a drawing, and which values an axis names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalemark::html {

enum class ScaleKind { linear, log2, log10 };

struct Tick {
  double value = 0;
  std::string label;
};

/// An axis from `low` to `high`. Logarithmic ones need positive ends; shown() tells which values
/// have a place.
class Scale {
 public:
  /// Widens an empty range, so that one value is drawn in the middle. `unit` is UCUM and labels the
  /// ticks of logarithmic axes; linear ones say `symbol()` once, in the title.
  Scale(ScaleKind kind, double low, double high, double from, double to, std::string_view unit);

  double at(double value) const;
  bool shown(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  /// Unit of the numbers at the ticks; empty where each tick names its own.
  const std::string& symbol() const { return symbol_; }

 private:
  void place_ticks(std::string_view unit);

  ScaleKind kind_;
  double low_, high_, from_, to_;
  std::vector<Tick> ticks_;
  std::string symbol_;
};

/// Round values between low and high, about `count` of them: steps of 1, 2 or 5 times a power of
/// ten.
std::vector<double> round_values(double low, double high, int count);

}  // namespace scalemark::html
