// SPDX-License-Identifier: Apache-2.0
// What the program writes: standard output that arrived, files that destroy nothing.
#pragma once

#include <filesystem>
#include <span>

namespace scalemark::cli {

/// Flushes standard output. If any of what was printed could not be written it says so on stderr
/// and returns the exit code of that (3, or 2 where `code` is), else `code`.
int checked_output(int code);

/// Throws UsageError that names --output where it is one of `inputs`, by whatever path, or lies in
/// one that is a folder of parts.
void refuse_inputs(const std::filesystem::path& output,
                   std::span<const std::filesystem::path> inputs);

/// Throws UsageError that names --output where that exists and is a result file, which only another
/// one may replace, or no regular file.
void refuse_results(const std::filesystem::path& output);

}  // namespace scalemark::cli
