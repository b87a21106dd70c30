// SPDX-License-Identifier: Apache-2.0
// What the two sides of a comparison are called, and where they come from.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

struct SideFacts {
  /// The folder or file name that tells this side from the other; empty where none does.
  std::string name;
  std::vector<std::string> hosts;  ///< sorted
  std::string first, last;         ///< start of the earliest and the latest run, ISO 8601 UTC
  std::vector<std::string> revisions;

  /// The name, or else `letter`.
  std::string called(const char* letter) const { return name.empty() ? letter : name; }
  /// "A (base)", or "A".
  std::string title(const char* letter) const;
};

/// Names from the paths that runs were read from: the folder of a side, or the file of a side of
/// one run, as far up as the two differ; in one folder what the file names of a side begin with.
/// Both are empty where no part of the paths tells the sides apart.
std::pair<std::string, std::string> side_names(const std::vector<std::string>& a,
                                               const std::vector<std::string>& b);

/// All but the name. Of a baseline `runs` are the environments that it knows.
SideFacts side_facts(std::span<const RunDigest> runs);

/// "3 runs on node1, 2026-01-31 12:00 UTC, revision 358069b": as much as is known.
std::string describe_side(const SideFacts& side, std::size_t runs);

}  // namespace scalemark::compare
