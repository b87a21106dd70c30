// SPDX-License-Identifier: Apache-2.0
// Rotary positions: frequencies and the table of angles, in the precision asked for.
#include "suites/llm/model/rope.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace scalemark::llm {
namespace {

constexpr double kOldLength = 8192, kLowFactor = 1, kHighFactor = 4;

/// In double, rounded once: the published code does it on Python floats.
double scaled(double frequency, double scale) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  if (wavelength < kOldLength / kHighFactor) return frequency;
  if (wavelength > kOldLength / kLowFactor) return frequency / scale;
  const double smooth = (kOldLength / wavelength - kLowFactor) / (kHighFactor - kLowFactor);
  return (1 - smooth) * frequency / scale + smooth * frequency;
}

}  // namespace

template <typename Real>
std::vector<Real> rope_frequencies(std::int64_t head_dim, double base, double scale) {
  std::vector<Real> frequencies(static_cast<std::size_t>(head_dim / 2));
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const Real exponent = static_cast<Real>(2 * i) / static_cast<Real>(head_dim);
    const Real frequency = Real(1) / std::pow(static_cast<Real>(base), exponent);
    frequencies[i] = scale > 1 ? static_cast<Real>(scaled(frequency, scale)) : frequency;
  }
  return frequencies;
}

template <typename Real>
std::vector<Real> rope_table(const std::vector<Real>& frequencies, std::int64_t positions) {
  std::vector<Real> table;
  table.reserve(static_cast<std::size_t>(positions) * frequencies.size() * 2);
  for (std::int64_t position = 0; position < positions; ++position) {
    for (const Real frequency : frequencies) {
      const Real angle = static_cast<Real>(position) * frequency;
      table.push_back(std::cos(angle));
      table.push_back(std::sin(angle));
    }
  }
  return table;
}

template std::vector<float> rope_frequencies(std::int64_t, double, double);
template std::vector<double> rope_frequencies(std::int64_t, double, double);
template std::vector<float> rope_table(const std::vector<float>&, std::int64_t);
template std::vector<double> rope_table(const std::vector<double>&, std::int64_t);

}  // namespace scalemark::llm
