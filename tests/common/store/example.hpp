// SPDX-License-Identifier: Apache-2.0
// A run with every field of the model filled, for tests of the result file.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::test {

/// Durations of 2 ranks in 5 iterations, with the largest integer, warm-up and flags.
Metric example_latency();
/// A rate, without samples of its own.
Metric example_rate(const std::string& source);
/// Three real numbers of one rank.
Metric example_ratio();

/// Numbers and texts, a table without rows.
std::map<std::string, Table> example_tables();

/// Case `index` of "test/example"; the key is that of example_run().planned.
CaseResult example_case(std::size_t index);
/// The header; the cases are left out.
Run example_run(std::size_t cases = 3);

}  // namespace scalemark::test
