// SPDX-License-Identifier: Apache-2.0
// Linear and logarithmic scales, and their ticks.
#include "common/html/drawing/scale.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/text/display_unit.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxTicks = 7;
constexpr std::size_t kMinTicks = 3;

/// Powers of ten from `low` to `high`, each multiplied by every one of `factors`.
std::vector<double> decades(double low, double high, const std::vector<double>& factors) {
  std::vector<double> values;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double factor : factors) {
      const double value = factor * std::pow(10.0, exponent);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) values.push_back(value);
    }
  }
  return values;
}

std::vector<double> powers_of_two(double low, double high) {
  const int first = static_cast<int>(std::ceil(std::log2(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(high) + 1e-9));
  const int step = std::max(1, (last - first + 5) / 6);
  std::vector<double> values;
  for (int exponent = first; exponent <= last; exponent += step)
    values.push_back(std::exp2(exponent));
  return values;
}

/// Every n-th value, with the smallest n that leaves few enough ticks.
std::vector<double> thinned(const std::vector<double>& values) {
  const std::size_t step = (values.size() + kMaxTicks - 1) / kMaxTicks;
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); i += std::max<std::size_t>(step, 1))
    kept.push_back(values[i]);
  return kept;
}

/// 1.50 us -> 1.5 us, 1.00 us -> 1 us.
std::string without_zeros(const std::string& quantity) {
  const std::size_t blank = std::min(quantity.find(' '), quantity.size());
  if (quantity.find('.') >= blank) return quantity;
  const std::size_t last = quantity.find_last_not_of('0', blank - 1);
  return quantity.substr(0, quantity[last] == '.' ? last : last + 1) + quantity.substr(blank);
}

std::vector<double> log_values(double low, double high) {
  const std::vector<double> whole = decades(low, high, {1});
  if (whole.size() >= kMinTicks) return thinned(whole);
  const std::vector<double> finer = decades(low, high, {1, 2, 5});
  return finer.size() >= kMinTicks ? finer : round_values(low, high, 4);
}

}  // namespace

std::vector<double> round_values(double low, double high, int count) {
  const double rough = (high - low) / std::max(count, 1);
  if (!(rough > 0) || !std::isfinite(rough)) return {low};
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double part = rough / power;
  const double step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
  std::vector<double> values;
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i < 2 * count + 2; ++i) {
    const double value = (first + i) * step;
    if (value > high + step * 1e-9) break;
    values.push_back(value);
  }
  return values;
}

Scale::Scale(ScaleKind kind, double low, double high, double from, double to, std::string_view unit)
    : kind_(kind), low_(low), high_(high), from_(from), to_(to) {
  if (!(high_ > low_)) {
    const double around = low_ == 0 ? 1 : std::abs(low_);
    low_ = kind_ == ScaleKind::linear ? low_ - around / 2 : low_ / 2;
    high_ = kind_ == ScaleKind::linear ? high_ + around / 2 : high_ * 2;
  }
  place_ticks(unit);
}

bool Scale::shown(double value) const {
  return std::isfinite(value) && (kind_ == ScaleKind::linear || value > 0);
}

double Scale::at(double value) const {
  const double part = kind_ == ScaleKind::linear ? (value - low_) / (high_ - low_)
                                                 : std::log(value / low_) / std::log(high_ / low_);
  return from_ + part * (to_ - from_);
}

void Scale::place_ticks(std::string_view unit) {
  if (kind_ == ScaleKind::linear) {
    const double largest = std::max(std::abs(low_), std::abs(high_));
    const text::DisplayUnit shown = text::display_unit(unit, largest);
    symbol_ = shown.symbol;
    for (const double value : round_values(low_ / shown.factor, high_ / shown.factor, 5))
      ticks_.push_back({value * shown.factor, fmt::format("{:.6g}", value == 0 ? 0.0 : value)});
    return;
  }
  for (const double value :
       kind_ == ScaleKind::log2 ? powers_of_two(low_, high_) : log_values(low_, high_)) {
    const bool known = unit == "s" || unit == "By" || unit == "By/s" || unit == "flop/s";
    ticks_.push_back({value, known ? without_zeros(units::quantity(value, unit, 3))
                                   : fmt::format("{:.6g}", value)});
    if (!known) symbol_ = unit == "1" ? std::string() : text::printable(unit, 32);
  }
}

}  // namespace scalemark::html
