// SPDX-License-Identifier: Apache-2.0
// What the kernel's files say about memory that is left; the parts of free_host_memory().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scalemark::device {

/// MemAvailable of a /proc/meminfo text in bytes. Nothing if there is no such line.
std::optional<std::uint64_t> available_in(const std::string& meminfo);

/// Bytes that the memory cgroups of a process leave it: the smallest of limit - (usage - inactive
/// page cache) over its group and all groups above, of versions 1 and 2. `cgroup` and `mountinfo`
/// are the texts of /proc/self/cgroup and /proc/self/mountinfo; `root` stands before the mount
/// points (tests). Nothing where there is no limit.
std::optional<std::uint64_t> cgroup_leaves(const std::string& cgroup, const std::string& mountinfo,
                                           const std::string& root = {});

/// RLIMIT_AS minus the address space in use. Nothing where there is no limit.
std::optional<std::uint64_t> address_space_left();

}  // namespace scalemark::device
