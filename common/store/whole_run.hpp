// SPDX-License-Identifier: Apache-2.0
// A result file of a run that is known as a whole.
#pragma once

#include <filesystem>

#include "common/result/model.hpp"

namespace scalemark {

/// Writes a run with its cases, whole or not at all. Throws UsageError if `output` exists and
/// `force` is off, Error if it cannot be written.
void write_result_file(const std::filesystem::path& output, const Run& run, bool force);

}  // namespace scalemark
