// SPDX-License-Identifier: Apache-2.0
// Median of samples, and a rank's location, for tables of a case.
#include "suites/micro/data/rank_values.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace scalemark::micro {

double median_ns(std::vector<std::uint64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

std::string place_text(const RankInfo& rank) {
  return rank.numa < 0 ? rank.node : fmt::format("{} numa {}", rank.node, rank.numa);
}

}  // namespace scalemark::micro
