// SPDX-License-Identifier: Apache-2.0
// Reading tests/golden/stats: numbers, "inf", and null as NaN.
#pragma once

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace scalemark::test {

inline nlohmann::json golden(const std::string& name) {
  const std::string path = std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/stats/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  return nlohmann::json::parse(file);
}

inline double number(const nlohmann::json& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (value.is_number()) return value.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  return value.get<std::string>() == "inf" ? infinity : -infinity;
}

inline std::vector<double> numbers(const nlohmann::json& values) {
  std::vector<double> result;
  for (const auto& value : values) result.push_back(number(value));
  return result;
}

/// |got - want| <= relative * |want| + absolute; NaN and infinities must be the same.
inline void expect_close(double got, double want, double relative, double absolute,
                         const std::string& what) {
  if (std::isnan(want) || std::isinf(want)) {
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << what << ": got " << got;
    return;
  }
  EXPECT_LE(std::abs(got - want), relative * std::abs(want) + absolute)
      << what << ": got " << got << ", want " << want;
}

}  // namespace scalemark::test
