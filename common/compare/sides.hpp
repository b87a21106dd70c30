// SPDX-License-Identifier: Apache-2.0
// Names and origin of the two sides of a comparison.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// Origin of a side.
struct SideFacts {
  /// Folder or file name that distinguishes this side from the other; empty = none.
  std::string name;
  std::vector<std::string> hosts;  ///< sorted
  std::string first, last;         ///< start of the first and the last run, ISO 8601 UTC
  std::vector<std::string> revisions;

  /// The name, or `letter` without one.
  std::string called(const char* letter) const { return name.empty() ? letter : name; }
  /// "A (base)", or "A" without a name.
  std::string title(const char* letter) const;
};

/// Derives names from the paths of the runs. The innermost folder that differs names the sides; for
/// a side of one run, its file counts, too. If no folder differs, the common start of the file
/// names is used. Both names are empty if nothing distinguishes the sides.
std::pair<std::string, std::string> side_names(const std::vector<std::string>& a,
                                               const std::vector<std::string>& b);

/// Hosts, times and revisions of the runs; not the name. For a baseline, `runs` are its known
/// environments.
SideFacts side_facts(std::span<const RunDigest> runs);

/// "3 runs on node1, 2026-01-31 12:00 UTC, revision 358069b"; unknown items are left out.
std::string describe_side(const SideFacts& side, std::size_t runs);

}  // namespace scalemark::compare
