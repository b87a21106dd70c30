// SPDX-License-Identifier: Apache-2.0
// Names of hosts as schedulers write them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace scalemark::fleet {

/// Letters, digits, '-', '.', '_', and no '-' first: a name that may stand in a shell's command.
bool is_host_name(std::string_view name);

/// "node1" of "node1.cluster.example", which some call by one and some by the other.
std::string short_name(std::string_view host);

/// What hosts are sorted by, so that "node2" comes before "node10".
using NameOrder = std::tuple<std::string, std::uint64_t, std::string>;
NameOrder name_order(const std::string& host);

/// The names in Slurm's notation: "login,node[1,3-7]". Numbers with as many leading zeros share a
/// bracket. In order of names, then of numbers; each name once.
std::string node_list(std::span<const std::string> names);

/// The names of a text, separated by blanks or lines. Throws InputError for one that is no host
/// name, which says where `origin` has it.
std::vector<std::string> host_names(std::string_view text, const std::string& origin);

}  // namespace scalemark::fleet
