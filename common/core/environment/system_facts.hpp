// SPDX-License-Identifier: Apache-2.0
// What a node's Linux says of itself, from /proc and /sys.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace scalemark {

using Facts = std::map<std::string, std::string>;

/// Kernel, processors, memory, limits, container. A fact that this machine does not tell is
/// "unavailable: reason". Nothing of it names a host, a user or a serial number.
Facts system_facts(const std::filesystem::path& root = "/");

/// Adapters of the network: kind, firmware, rate, state; by name (mlx5_0, eth0).
Facts network_facts(const std::filesystem::path& root = "/");

/// What changes while a run goes on: load, clock, free memory, processes of other users, slow-downs
/// for heat, errors of adapters. Taken at its start and at its end.
Facts changing_facts(const std::filesystem::path& root = "/");

/// "ext4", "nfs", "lustre", ... of the file system that `path` (or the nearest folder above it that
/// exists) lies on.
std::string file_system_of(const std::filesystem::path& path,
                           const std::filesystem::path& root = "/");

}  // namespace scalemark
