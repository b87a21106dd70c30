// SPDX-License-Identifier: Apache-2.0
// Protects outputs: detects failed writes to stdout, and never overwrites inputs or results.
#pragma once

#include <filesystem>
#include <span>

namespace scalemark::cli {

/// Flushes standard output. If a write failed, prints that to stderr and returns exit code 3 (2 if
/// `code` is 2). Else returns `code`.
int checked_output(int code);

/// Throws UsageError naming --output if it is one of `inputs` (by any path), or lies in a .parts
/// folder among them.
void refuse_inputs(const std::filesystem::path& output,
                   std::span<const std::filesystem::path> inputs);

/// Throws UsageError naming --output if it exists and is a result file or not a regular file. Only
/// another result file may replace a result file.
void refuse_results(const std::filesystem::path& output);

}  // namespace scalemark::cli
