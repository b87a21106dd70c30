// SPDX-License-Identifier: Apache-2.0
// Compares each rank with the others in each iteration.
#include "common/analysis/rank_differences.hpp"

#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

bool is_counted_iteration(const Samples& samples, std::size_t iteration) {
  const bool is_void = !samples.flags.empty() && (samples.flags[iteration] & kInvalid) != 0;
  return !samples.is_warmup(iteration) && !is_void;
}

}  // namespace

std::vector<std::vector<double>> counted_values(const Samples& values, const Samples& counting) {
  std::vector<std::vector<double>> counted(values.ranks);
  for (std::size_t i = 0; i < values.iterations; ++i) {
    if (!is_counted_iteration(counting, i)) continue;
    for (std::size_t rank = 0; rank < values.ranks; ++rank)
      counted[rank].push_back(values.value(rank, i));
  }
  return counted;
}

std::vector<std::vector<double>> differences_to_others(
    const std::vector<std::vector<double>>& values) {
  std::vector<std::vector<double>> differences = values;
  std::vector<double> column(values.size());
  for (std::size_t i = 0; !values.empty() && i < values.front().size(); ++i) {
    for (std::size_t rank = 0; rank < values.size(); ++rank) column[rank] = values[rank][i];
    const double middle = stats::median(column);
    for (std::size_t rank = 0; rank < values.size(); ++rank)
      differences[rank][i] -= values.size() == 2 ? column[1 - rank] : middle;
  }
  return differences;
}

}  // namespace scalemark::analysis
