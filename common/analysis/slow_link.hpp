// SPDX-License-Identifier: Apache-2.0
// Copies and loads between GPUs: their times, and a pair that takes longer than the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// Times of copies between GPUs, or of loads by one GPU from the memory of another.
struct GpuPairs {
  std::vector<std::uint64_t> from, to;  ///< CUDA's numbers in the process that measured
  std::vector<double> seconds;          ///< positive
  double bytes = 0;                     ///< of one copy; 0: of one load
};

/// Table `pairs` of copies in pattern all_pairs, or of micro/memory_latency. Nothing if a column is
/// missing or damaged.
std::optional<GpuPairs> gpu_pairs(const CaseResult& result);

/// The slowest pair of GPUs, if it stands out.
struct SlowLink {
  std::uint64_t from = 0, to = 0;
  double factor = 0;     ///< its time / median time of all pairs
  std::size_t slow = 0;  ///< pairs that stand out
  std::size_t pairs = 0;
};

/// The slow pair of gpu_pairs(). A pair stands out if its time is 1.25 times the median, and
/// further from it than five times the scaled median absolute deviation, both on logarithms. At
/// most a quarter of six or more pairs may stand out: more of them are how the machine is built.
std::optional<SlowLink> slow_link(const CaseResult& result);

/// "GPU 0 to GPU 1 takes 3.2 times as long as the median of 12 pairs (2 are slow)"
std::string slow_text(const SlowLink& slow);

}  // namespace scalemark::analysis
