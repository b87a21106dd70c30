// SPDX-License-Identifier: Apache-2.0
// Writes a result file from a run that is completely in memory.
#pragma once

#include <filesystem>

#include "common/result/model.hpp"

namespace scalemark {

/// Writes a run with its cases atomically. Throws UsageError if `output` exists and `force` is
/// false, Error if the file cannot be written.
void write_result_file(const std::filesystem::path& output, const Run& run, bool force);

}  // namespace scalemark
