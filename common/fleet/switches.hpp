// SPDX-License-Identifier: Apache-2.0
// Which switch each host is at.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::fleet {

/// The name of the switch above each host, by the host's name.
using Switches = std::map<std::string, std::string>;

/// Whether a text is a topology of Slurm: a line begins with SwitchName= or BlockName=.
bool is_slurm_topology(std::string_view text);

/// The lowest switch, or the block, of each host: from Slurm's topology.conf, or from what
/// `scontrol show topology` prints. Throws InputError, naming `origin`, for a line that is neither,
/// a list of hosts that is none, and more than 1,048,576 hosts.
Switches parse_slurm_topology(std::string_view text, const std::string& origin);

/// The switch above a host, which is also found without its domain; nullptr if it is not there.
const std::string* leaf_of(const std::string& host, const Switches& switches);

/// The switch above each of `hosts`. Throws InputError for a host that is not there.
std::vector<std::string> leaves_of(std::span<const std::string> hosts, const Switches& switches);

}  // namespace scalemark::fleet
