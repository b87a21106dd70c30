// SPDX-License-Identifier: Apache-2.0
// Prints the hosts of a cluster and their verdicts.
#pragma once

#include <string>
#include <vector>

#include "common/analysis/fleet_table.hpp"

namespace scalemark::cli {

/// Lines that drain the bad hosts in Slurm, to be shown, never run.
std::vector<std::string> drain_lines(const analysis::FleetTable& fleet);

/// A table of the hosts that are not ok (or of `all`), slow links, a line of counts, the bad hosts
/// in Slurm's notation, and the commands that drain them, which are printed only.
void print_fleet_text(const analysis::FleetTable& fleet, bool all);

/// The same as JSON, with all hosts and all that is said of each.
void print_fleet_json(const analysis::FleetTable& fleet);

/// Gauges as OpenMetrics text: verdicts of hosts (0 OK, 1 UNTESTED, 2 SUSPECT, 3 BAD), factors of
/// what is said of them, of links and of changes.
void print_fleet_openmetrics(const analysis::FleetTable& fleet);

}  // namespace scalemark::cli
