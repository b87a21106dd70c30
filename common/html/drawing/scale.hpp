// SPDX-License-Identifier: Apache-2.0
// Axis scales: map values to coordinates and choose ticks.
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

/// Maps values from `low` to `high` to coordinates. Logarithmic scales need positive ends; shown()
/// tells which values can be drawn.
class Scale {
 public:
  /// Widens an empty range, so that a single value is drawn in the middle. `unit` is a UCUM unit.
  /// Logarithmic axes print it at each tick; linear axes print symbol() once, in the title.
  Scale(ScaleKind kind, double low, double high, double from, double to, std::string_view unit);

  double at(double value) const;
  bool shown(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  /// Unit of the numbers at the ticks; empty if each tick has its own.
  const std::string& symbol() const { return symbol_; }

 private:
  void place_ticks(std::string_view unit);

  ScaleKind kind_;
  double low_, high_, from_, to_;
  std::vector<Tick> ticks_;
  std::string symbol_;
};

/// About `count` round values between low and high, in steps of 1, 2 or 5 times a power of ten.
std::vector<double> round_values(double low, double high, int count);

}  // namespace scalemark::html
