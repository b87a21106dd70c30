// SPDX-License-Identifier: Apache-2.0
// PNG files with libpng's simplified interface, which reports errors as return values.
#include "suites/imaging/data/png.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>
#include <png.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::imaging {
namespace {

/// Maximum file size: twice the uncompressed pixels (3 bytes each), plus 4 KiB for headers.
std::uint64_t largest_file(std::uint32_t size) { return std::uint64_t{6} * size * size + 4096; }

/// Every PNG file ends with these bytes: length 0, "IEND" and its checksum.
constexpr std::array<std::uint8_t, 12> kEnd{0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};

/// Frees libpng's memory for an image in its destructor.
struct Image {
  png_image png{};
  Image() { png.version = PNG_IMAGE_VERSION; }
  ~Image() { png_image_free(&png); }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
};

}  // namespace

std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, std::uint32_t size) {
  Image image;
  image.png.width = image.png.height = size;
  image.png.format = PNG_FORMAT_RGB;
  image.png.flags = PNG_IMAGE_FLAG_FAST;  // a quarter of the time, two thirds more bytes
  std::vector<std::uint8_t> file(PNG_IMAGE_PNG_SIZE_MAX(image.png));
  png_alloc_size_t bytes = file.size();
  if (png_image_write_to_memory(&image.png, file.data(), &bytes, 0, pixels.data(), 0, nullptr) == 0)
    throw Error(fmt::format("libpng cannot encode: {}", image.png.message));
  file.resize(bytes);
  return file;
}

void decode_png(std::span<const std::uint8_t> file, std::span<std::uint8_t> pixels,
                std::uint32_t size, const std::string& origin) {
  Image image;
  const auto damaged = [&](const char* what) {
    return InputError(fmt::format("{}: damaged PNG file: {}", origin, text::printable(what, 80)));
  };
  if (png_image_begin_read_from_memory(&image.png, file.data(), file.size()) == 0)
    throw damaged(image.png.message);
  if (image.png.width != size || image.png.height != size || image.png.format != PNG_FORMAT_RGB) {
    throw InputError(
        fmt::format("{}: {} x {} pixels in format {:#x}; allowed: {} x {} in 8-bit RGB", origin,
                    image.png.width, image.png.height, image.png.format, size, size));
  }
  if (png_image_finish_read(&image.png, nullptr, pixels.data(), 0, nullptr) == 0)
    throw damaged(image.png.message);
  // libpng only warns about a wrong checksum in an optional chunk, and reads nothing after the
  // pixels. Both count as damage here.
  if (image.png.warning_or_error != 0) throw damaged(image.png.message);
  if (!std::ranges::equal(file.last(std::min(file.size(), kEnd.size())), kEnd))
    throw damaged("its end is missing");
}

std::uint64_t read_png(const std::filesystem::path& path, std::span<std::uint8_t> pixels,
                       std::uint32_t size) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("{}: {}", path.string(), error.message()));
  if (bytes > largest_file(size)) {
    throw InputError(fmt::format("{}: {} bytes; an image of {} x {} may have {}", path.string(),
                                 bytes, size, size, largest_file(size)));
  }
  std::vector<std::uint8_t> file(bytes);
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(bytes));
  if (!stream) throw InputError(path.string() + ": cannot be read");
  decode_png(file, pixels, size, path.string());
  return bytes;
}

}  // namespace scalemark::imaging
