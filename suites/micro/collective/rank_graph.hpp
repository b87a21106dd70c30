// SPDX-License-Identifier: Apache-2.0
// A graph of ranks from a file, as OSU's neighborhood tests take (`-N graph:FILE`).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/collective/call.hpp"

namespace scalemark::micro {

/// The text of a file of edges. Throws Error if it cannot be read or is larger than 64 MiB.
std::string read_edges(const std::filesystem::path& file);

/// Who sends to whom, by directed edges.
class RankGraph {
 public:
  /// Reads lines "SOURCE,TARGET". Empty lines and those that start with # are ignored. Throws Error
  /// if there is no edge, or with the number of a line that is no edge, names a rank from `ranks`
  /// on, or repeats an edge.
  RankGraph(std::string_view text, int ranks);

  std::size_t edges() const { return edges_; }
  /// The ranks that `rank` receives from and sends to.
  collective::Neighborhood of(int rank) const;

 private:
  std::vector<std::vector<int>> targets_;  ///< by source
  std::size_t edges_ = 0, busiest_ = 0;
};

}  // namespace scalemark::micro
