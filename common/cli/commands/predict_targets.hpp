// SPDX-License-Identifier: Apache-2.0
// The axes of `scalemark predict --from`: what to predict, and which rows to take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/cli/commands/predict_from_rows.hpp"

namespace scalemark::cli {

/// What is asked for.
struct RowTargets {
  std::vector<std::int64_t> ranks, bytes;  ///< no bytes: all measured sizes
  std::vector<std::string> words;          ///< other axes, "backend=mpi", as in keys

  /// `words` for a command: " -a backend=mpi".
  std::string options() const;
};

/// Reads the axes of a request, whose `ranks` are at least `fewest`. Throws UsageError for an axis
/// that the workload does not have, as `run` does, for values beyond their limits, and for a list
/// of values but for `ranks` and `bytes`. Axes of a benchmark that this program does not know are
/// taken as they are.
RowTargets axes_of(const RowPrediction& request, int fewest);

/// The same. A page has `fewest` to 4,096 ranks where the axes name none. Throws UsageError for
/// other requests without `ranks`.
RowTargets targets_of(const RowPrediction& request, int fewest);

}  // namespace scalemark::cli
