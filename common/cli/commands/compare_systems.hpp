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

/// Makes a further visitor for the runs of a system, called while they are read.
using SystemVisitor =
    std::function<RunVisitor(const std::string& system, const std::filesystem::path& file)>;

/// Reads the runs of NAME=PATH texts; a name may be repeated with another path. Throws UsageError
/// for a malformed text, InputError for unreadable files.
std::vector<compare::SystemRuns> read_systems(const std::vector<std::string>& given,
                                              const SystemVisitor& also = {});

/// Prints the table of `systems` (NAME=PATH; a name may be repeated with another path). Returns the
/// exit code. Throws UsageError for a malformed text, InputError for unreadable files.
int compare_systems(const std::vector<std::string>& systems, const compare::CompareOptions& options,
                    const std::string& format);

}  // namespace scalemark::cli
