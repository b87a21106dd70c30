// SPDX-License-Identifier: Apache-2.0
// A topology as a TOML file.
#pragma once

#include <string>
#include <string_view>

#include "common/fleet/switches.hpp"
#include "common/predict/network.hpp"

namespace scalemark::cli {

/// Hosts and switches, each with the link to the switch above it. Ranks are placed host by host.
///   [[switch]]
///   name = "leaf1"
///   above = "spine"      # the top has neither this nor a link
///   bandwidth = 12.5e9   # By/s of the link, each way
///   latency = "1us"      # of the link; left out: 0
///   [[host]]
///   name = "n1"
///   above = "leaf1"
///   bandwidth = 25e9
///   ranks = 4            # left out: 1
///   count = 8            # so many such hosts; left out: 1
/// `origin` is named in messages. Throws UsageError for what does not belong there, and as Network.
predict::Network parse_topology(std::string_view toml, const std::string& origin);

/// The same of a file of up to 1 MiB. Throws UsageError if it cannot be read.
predict::Network read_topology(const std::string& file);

/// The switch above each host, from such a file or from Slurm's topology
/// (fleet::is_slurm_topology()). Throws as read_topology(), and InputError for a topology of Slurm
/// that is none.
fleet::Switches read_switches(const std::string& file);

/// The same of the text of a file.
fleet::Switches parse_switches(std::string_view text, const std::string& origin);

}  // namespace scalemark::cli
