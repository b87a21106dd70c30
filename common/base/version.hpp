// SPDX-License-Identifier: Apache-2.0
// What was built: version, revision, compiler, optional parts.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalemark {

/// "0.1.0"
std::string_view version();
/// Short git revision, "unknown" outside a checkout.
std::string_view git_revision();
/// Whether tracked files differed from the revision when this was built.
bool git_dirty();
/// Build facts: build_type, compiler, flags, and for each optional part (cuda, nccl, libtorch, ...)
/// its state and version, as printed by `scalemark info`.
const std::map<std::string, std::string>& build_info();

}  // namespace scalemark
