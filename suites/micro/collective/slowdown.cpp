// SPDX-License-Identifier: Apache-2.0
// Ratios of the times of the same sample.
#include "suites/micro/collective/slowdown.hpp"

#include <algorithm>
#include <vector>

namespace scalemark::micro {

void record_slowdown(Case& c, const std::string& name, std::span<const std::uint64_t> loaded,
                     std::span<const std::uint64_t> alone, const std::string& formula) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < alone.size(); ++i)
    ratios.push_back(static_cast<double>(loaded[i]) /
                     static_cast<double>(std::max<std::uint64_t>(alone[i], 1)));
  c.record(name, "1", Better::lower, MetricKind::ratio, RankReduce::max, ratios, formula);
}

}  // namespace scalemark::micro
