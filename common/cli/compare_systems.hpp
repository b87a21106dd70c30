// SPDX-License-Identifier: Apache-2.0
// `scalemark compare --systems`: several systems side by side.
#pragma once

#include <string>
#include <vector>

#include "common/report/compare.hpp"

namespace scalemark::cli {

/// `systems` are NAME=PATH; a name may come again with another path. Prints the table and returns
/// the exit code. Throws UsageError for a text of another form, InputError for unreadable files.
int compare_systems(const std::vector<std::string>& systems, const report::CompareOptions& options,
                    const std::string& format);

}  // namespace scalemark::cli
