// SPDX-License-Identifier: Apache-2.0
// Records that all trainings share.
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

/// Mean of the last ten values, or of all if there are fewer. There must be at least one.
double mean_of_last(const std::vector<double>& values);

std::uint64_t sum(const std::vector<std::uint64_t>& nanoseconds);

/// 1 for warm-up steps, in which kernels are chosen, memory is allocated and buckets are rebuilt.
/// Their number comes from `policy`, else it is three, but the last step always counts. There must
/// be at least one step.
std::vector<std::uint8_t> warmup_steps(const SamplingPolicy& policy, std::size_t steps);

/// Collective. Records metrics energy and energy_per_NAME if all ranks measured `joules`. `count`:
/// things (images, tokens) over all ranks. `over`: what was counted, for the formula.
void record_energy(Case& c, const std::optional<double>& joules, const std::string& name,
                   double count, const std::string& over);

/// Collective. Adds the values in rank order, each exact.
double sum_over_ranks(const mpi::Comm& ranks, double mine);

}  // namespace scalemark::torch_support
