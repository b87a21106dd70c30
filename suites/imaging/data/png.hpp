// SPDX-License-Identifier: Apache-2.0
// Square 8-bit RGB pictures as PNG files. Nothing in a file is believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace scalemark::imaging {

/// Pixels [size][size][3] as the bytes of a PNG file.
std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, std::uint32_t size);

/// The inverse: fills `pixels`, [size][size][3]. `origin` is named in errors. Throws InputError for
/// all but a whole, undamaged PNG file of `size` x `size` pixels in 8-bit RGB.
void decode_png(std::span<const std::uint8_t> file, std::span<std::uint8_t> pixels,
                std::uint32_t size, const std::string& origin);

/// The same from a file; returns its length.
std::uint64_t read_png(const std::filesystem::path& path, std::span<std::uint8_t> pixels,
                       std::uint32_t size);

}  // namespace scalemark::imaging
