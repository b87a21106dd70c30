// SPDX-License-Identifier: Apache-2.0
// Differences between paired runs.
#include "common/stats/blocks.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "common/stats/limits.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::stats {

std::optional<BlockContrast> block_contrast(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return std::nullopt;
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i])) differences.push_back(b[i] - a[i]);
  }
  if (differences.empty()) return std::nullopt;
  BlockContrast row;
  row.difference = mean(differences);
  row.blocks = static_cast<int>(differences.size());
  const double spread = stddev(differences);
  row.variance = row.blocks > 1 ? spread * spread : kNan;
  return row;
}

Estimate moderated(const BlockContrast& row, const Prior& prior, double df_limit) {
  return moderated(row.difference, row.sample(), 1.0 / row.blocks, prior, df_limit);
}

}  // namespace scalemark::stats
