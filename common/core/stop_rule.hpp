// SPDX-License-Identifier: Apache-2.0
// When to stop sampling: pure decisions, made from values that all ranks agree on.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "common/core/policy.hpp"

namespace scalemark {

enum class Stop { no, ci, count, time };
std::string_view to_string(Stop stop);

/// Whether the 95 % interval of the median lies within +- ci_percent of it, with at least
/// min_samples samples. Samples are in time order. Each rank checks its own samples; sampling
/// continues until all ranks have reached it.
bool interval_reached(const SamplingPolicy& policy, std::span<const double> samples);

/// The decision after a batch: `taken` samples, `seconds` spent on them (the largest over ranks),
/// `all_reached` = interval_reached on every rank.
Stop decide(const SamplingPolicy& policy, std::size_t taken, double seconds, bool all_reached);

/// Samples until the next vote: as many again as there are (so that votes cost little), never past
/// iterations, max_samples or the time left; a batch is to last no longer than `longest` seconds.
/// Where only the count stops and `longest` is infinite, all at once. Other arguments as decide().
std::size_t next_batch(const SamplingPolicy& policy, std::size_t taken, double seconds,
                       double longest = std::numeric_limits<double>::infinity());

}  // namespace scalemark
