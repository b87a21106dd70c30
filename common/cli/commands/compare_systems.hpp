// SPDX-License-Identifier: Apache-2.0
// `scalemark compare --systems`: several systems side by side.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/systems.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {

/// What else sees the runs of a system while they are read.
using SystemVisitor =
    std::function<RunVisitor(const std::string& system, const std::filesystem::path& file)>;

/// `given` are NAME=PATH; a name may come again with another path. Throws UsageError for a text of
/// another form, InputError for unreadable files.
std::vector<compare::SystemRuns> read_systems(const std::vector<std::string>& given,
                                              const SystemVisitor& also = {});

/// `systems` are NAME=PATH; a name may come again with another path. Prints the table and returns
/// the exit code. Throws UsageError for a text of another form, InputError for unreadable files.
int compare_systems(const std::vector<std::string>& systems, const compare::CompareOptions& options,
                    const std::string& format);

}  // namespace scalemark::cli
