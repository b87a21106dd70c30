// SPDX-License-Identifier: Apache-2.0
// Facts about the build: version, revision, compiler, optional parts.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalemark {

/// Version such as "0.1.0".
std::string_view version();
/// Short git revision; "unknown" outside a git checkout.
std::string_view git_revision();
/// Whether tracked files differed from the revision at build time.
bool git_dirty();
/// Build facts: build_type, compiler, flags, and state and version of each optional part (cuda,
/// nccl, libtorch, ...). `scalemark info` prints them.
const std::map<std::string, std::string>& build_info();

}  // namespace scalemark
