// SPDX-License-Identifier: Apache-2.0
// A page about the hosts of a cluster.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/analysis/fleet_table.hpp"

namespace scalemark::html {

/// What the page shows besides the verdicts.
struct FleetPageOptions {
  std::map<std::string, std::string> switches;  ///< above each host; empty = not known
  std::vector<std::string> drain;               ///< commands to copy
};

/// A map with a square for each host, grouped by switches, then what is said of those that are not
/// OK, slow links, what changed on all hosts, and the commands.
std::string fleet_page(const analysis::FleetTable& fleet, const FleetPageOptions& options);

}  // namespace scalemark::html
