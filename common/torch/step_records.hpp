// SPDX-License-Identifier: Apache-2.0
// What the records of all trainings have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/core/case.hpp"
#include "common/core/policy.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::torch_support {

/// Mean of the last ten values, or of all where there are fewer; there is one at least.
double mean_of_last(const std::vector<double>& values);

std::uint64_t sum(const std::vector<std::uint64_t>& nanoseconds);

/// 1 for the steps that do not count, which allocate, choose kernels and rebuild the buckets: as
/// many as `policy` says, else three, but never the last one. There is one step at least.
std::vector<std::uint8_t> warmup_steps(const SamplingPolicy& policy, std::size_t steps);

/// Collective. Metrics energy and energy_per_NAME, where all ranks have counted `joules`, for
/// `count` things (images, tokens) over all ranks. `over`: what was counted, for the formula.
void record_energy(Case& c, const std::optional<double>& joules, const std::string& name,
                   double count, const std::string& over);

/// Collective. Exact for each value, added in the order of the ranks.
double sum_over_ranks(const mpi::Comm& ranks, double mine);

}  // namespace scalemark::torch_support
