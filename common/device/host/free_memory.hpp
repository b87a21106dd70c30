// SPDX-License-Identifier: Apache-2.0
// Free host memory, from files of the kernel and process limits; used by free_host_memory().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scalemark::device {

/// MemAvailable of a /proc/meminfo text, in bytes. Nothing if the line is missing.
std::optional<std::uint64_t> available_in(const std::string& meminfo);

/// Bytes that memory cgroups (version 1 and 2) still allow: the minimum of limit - (usage -
/// inactive page cache) over the process's group and all groups above. Nothing if there is no
/// limit. `cgroup` and `mountinfo`: texts of /proc/self/cgroup and /proc/self/mountinfo. `root`:
/// prefix of the mount points, for tests.
std::optional<std::uint64_t> cgroup_leaves(const std::string& cgroup, const std::string& mountinfo,
                                           const std::string& root = {});

/// RLIMIT_AS minus the address space in use, in bytes. Nothing if there is no limit.
std::optional<std::uint64_t> address_space_left();

}  // namespace scalemark::device
