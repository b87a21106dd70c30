// SPDX-License-Identifier: Apache-2.0
// Temporary files that get their final name when they are complete.
#pragma once

#include <filesystem>
#include <string>

namespace scalemark {

/// A name in `folder` that nobody can guess: ".NAME.PID.RANDOM.tmp".
std::filesystem::path temporary_name(const std::filesystem::path& folder, const std::string& name);

/// Creates an empty file of a temporary_name() and returns its path. A file or link that is there
/// already is neither opened nor followed. Throws Error with the reason.
std::filesystem::path make_temporary(const std::filesystem::path& folder, const std::string& name);

/// Whether `name` is a name of temporary_name(), by any process.
bool is_temporary(const std::string& name);

/// The folder of a file: "." for a name alone.
std::filesystem::path folder_of(const std::filesystem::path& file);

}  // namespace scalemark
