// SPDX-License-Identifier: Apache-2.0
// Lists of hosts in Slurm's notation, read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::fleet {

/// The hosts of Slurm's notation, "login,node[1,3-7]", in the order of the list. A name may have
/// several brackets; numbers keep their leading zeros. Throws InputError, naming `origin`, for what
/// is no such list, and for more than `max` hosts.
std::vector<std::string> expanded_node_list(std::string_view list, const std::string& origin,
                                            std::size_t max);

}  // namespace scalemark::fleet
