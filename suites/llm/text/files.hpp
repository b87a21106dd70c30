// SPDX-License-Identifier: Apache-2.0
// Small files read whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace scalemark::llm {

/// Throws InputError that names the file if it cannot be read or holds more than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace scalemark::llm
