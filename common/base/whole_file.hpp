// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace scalemark {

/// Makes `path` a file of `bytes`, which appears (or replaces another) when all of it is on the
/// disk: a temporary name beside it, then renamed. Throws Error, and leaves nothing behind, where
/// that fails.
void write_whole(const std::filesystem::path& path, std::string_view bytes);

}  // namespace scalemark
