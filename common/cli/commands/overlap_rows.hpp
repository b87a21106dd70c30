// SPDX-License-Identifier: Apache-2.0
// Rows of micro/overlap: what a step wins by messages that are sent while it computes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::cli {

/// The measured overlap ratios of collectives beside matrix products.
class OverlapRows {
 public:
  /// Throws InputError for runs of different machines and of the software GPU.
  explicit OverlapRows(const std::vector<std::string>& paths);

  /// The part of a message's time that a step wins, 0 to 1, with what both slow each other: of the
  /// row of that collective ("allreduce") on the nearest number of ranks, of these the nearest
  /// size. Nothing without such rows.
  std::optional<double> ratio(const std::string& collective, const std::string& backend,
                              const std::string& memory, int ranks, double bytes) const;

 private:
  struct Row {
    std::string collective, backend, memory;
    double ranks = 0, bytes = 0, ratio = 0;
  };

  void add(const CaseResult& one);

  std::vector<Row> rows_;
};

}  // namespace scalemark::cli
