// SPDX-License-Identifier: Apache-2.0
// Writes files atomically: a file is complete or absent.
#pragma once

#include <filesystem>
#include <string_view>

namespace scalemark {

/// Writes `bytes` to `path`, which appears or is replaced once all bytes are on disk. Uses a
/// temporary name beside it. Throws Error and removes the temporary if that fails.
void write_whole(const std::filesystem::path& path, std::string_view bytes);

}  // namespace scalemark
