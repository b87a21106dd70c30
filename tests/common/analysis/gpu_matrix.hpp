// SPDX-License-Identifier: Apache-2.0
// Made-up copies between the GPUs of a host.
#pragma once

#include <cstdint>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A matrix of `gpus`; `time(from, to)` in seconds.
template <typename Time>
CaseResult matrix(std::uint64_t gpus, Time time) {
  std::vector<std::uint64_t> from, to;
  std::vector<double> seconds;
  for (std::uint64_t a = 0; a < gpus; ++a) {
    for (std::uint64_t b = 0; b < gpus; ++b) {
      if (a == b) continue;
      from.push_back(a);
      to.push_back(b);
      seconds.push_back(time(a, b));
    }
  }
  CaseResult result;
  result.params = {{"bytes", std::int64_t{4096}}};
  result.tables["pairs"] = {
      .columns = {{"from_gpu", "", from}, {"to_gpu", "", to}, {"time", "s", seconds}}};
  return result;
}

/// Times that differ by some percent, as those of equal links do.
inline double usual(std::uint64_t from, std::uint64_t to) {
  return 1e-5 * (1 + 0.01 * static_cast<double>((3 * from + 5 * to) % 7));
}

}  // namespace scalemark::analysis
