// SPDX-License-Identifier: Apache-2.0
// Square 8-bit RGB pictures as PNG files. All contents are validated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scalemark::imaging {

/// Encodes pixels [size][size][3] as a PNG file.
std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, std::uint32_t size);

/// Decodes a PNG file into `pixels`, [size][size][3]. Errors name `origin`. Throws InputError
/// unless it is a complete, undamaged PNG file of `size` x `size` pixels in 8-bit RGB.
void decode_png(std::span<const std::uint8_t> file, std::span<std::uint8_t> pixels,
                std::uint32_t size, const std::string& origin);

/// The same for a file; returns its length in bytes.
std::uint64_t read_png(const std::filesystem::path& path, std::span<std::uint8_t> pixels,
                       std::uint32_t size);

}  // namespace scalemark::imaging
