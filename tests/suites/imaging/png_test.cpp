// SPDX-License-Identifier: Apache-2.0
// PNG files: what is read exactly, and what is refused.
#include "suites/imaging/data/png.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <png.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::imaging {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// 2 x 2 pixels, packed by Python's zlib, the second row with PNG's filter "up".
const Bytes kByHand{
    0x89, 0x50, 0x4e, 0x47, 0xd,  0xa,  0x1a, 0xa,  0x0,  0x0,  0x0,  0xd,  0x49, 0x48, 0x44, 0x52,
    0x0,  0x0,  0x0,  0x2,  0x0,  0x0,  0x0,  0x2,  0x8,  0x2,  0x0,  0x0,  0x0,  0xfd, 0xd4, 0x9a,
    0x73, 0x0,  0x0,  0x0,  0x16, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xc8,
    0xd4, 0xc0, 0xcc, 0xc4, 0xc8, 0xc4, 0xcc, 0xc2, 0xca, 0x6,  0x0,  0x11, 0xfe, 0x1,  0x9d, 0x67,
    0xd1, 0x7b, 0xb,  0x0,  0x0,  0x0,  0x0,  0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

Bytes decoded(const Bytes& file, std::uint32_t size) {
  Bytes pixels(std::size_t{3} * size * size);
  decode_png(file, pixels, size, "the file");
  return pixels;
}

/// The text of the error; empty if there is none.
std::string refusal(const Bytes& file, std::uint32_t size) {
  try {
    decoded(file, size);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A file of `size` x `size` in any of libpng's formats.
Bytes file_in(std::uint32_t format, std::uint32_t size) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = size;
  image.format = format;
  const Bytes pixels(PNG_IMAGE_SIZE(image), 77);
  const Bytes map(PNG_IMAGE_COLORMAP_SIZE(image) + 1, 77);
  image.colormap_entries = 1;
  Bytes file(PNG_IMAGE_PNG_SIZE_MAX(image) + 1000);
  png_alloc_size_t bytes = file.size();
  EXPECT_NE(0,
            png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels.data(), 0, map.data()))
      << image.message;
  file.resize(bytes);
  return file;
}

Bytes some_pixels(std::uint32_t size) {
  Bytes pixels(std::size_t{3} * size * size);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(i * i / 7 + i);
  return pixels;
}

TEST(Png, ReadsAFileMadeByHand) {
  EXPECT_EQ(decoded(kByHand, 2), (Bytes{255, 0, 1, 2, 128, 3, 0, 2, 4, 6, 133, 9}));
}

TEST(Png, GivesBackWhatWasWritten) {
  for (const std::uint32_t size : {1U, 2U, 33U, 300U})
    EXPECT_EQ(decoded(encode_png(some_pixels(size), size), size), some_pixels(size)) << size;
}

TEST(Png, RefusesAnotherSizeOrFormat) {
  EXPECT_NE(refusal(kByHand, 3).find("the file: 2 x 2"), std::string::npos);
  EXPECT_EQ(refusal(file_in(PNG_FORMAT_RGB, 4), 4), "");
  EXPECT_NE(refusal(file_in(PNG_FORMAT_RGB, 5), 4), "");
  EXPECT_NE(refusal(file_in(PNG_FORMAT_GRAY, 4), 4), "");
  EXPECT_NE(refusal(file_in(PNG_FORMAT_RGBA, 4), 4), "") << "pixels 77 of 255 are transparent";
  EXPECT_NE(refusal(file_in(PNG_FORMAT_LINEAR_RGB_ALPHA & ~PNG_FORMAT_FLAG_ALPHA, 4), 4), "")
      << "16 bits";
  EXPECT_NE(refusal(file_in(PNG_FORMAT_RGB_COLORMAP, 4), 4), "") << "a palette";
}

TEST(Png, RefusesEveryShortenedFile) {
  const Bytes file = encode_png(some_pixels(20), 20);
  for (std::size_t length = 0; length < file.size(); ++length) {
    const Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    ASSERT_NE(refusal(part, 20), "") << length << " of " << file.size() << " bytes";
  }
  Bytes longer = file;
  longer.push_back(0);
  EXPECT_NE(refusal(longer, 20), "");
}

TEST(Png, RefusesEveryChangedByte) {
  const Bytes file = encode_png(some_pixels(20), 20);
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const int bit : {0, 7}) {
      Bytes changed = file;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ (1 << bit));
      ASSERT_NE(refusal(changed, 20), "") << "byte " << i << " of " << file.size();
    }
  }
}

TEST(Png, FilesAreNamedInErrors) {
  const test::TempDir folder;
  Bytes pixels(12);
  const auto problem = [&](const std::string& name) -> std::string {
    try {
      read_png(folder / name, pixels, 2);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto write = [&](const std::string& name, const Bytes& bytes) {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  write("good.png", kByHand);
  EXPECT_EQ(read_png(folder / "good.png", pixels, 2), kByHand.size());
  EXPECT_EQ(pixels[0], 255);
  write("empty.png", {});
  write("long.png", Bytes(1 << 16));
  for (const char* name : {"missing.png", "empty.png", "long.png"})
    EXPECT_NE(problem(name).find(name), std::string::npos) << problem(name);
  EXPECT_NE(problem("long.png").find("may have"), std::string::npos) << "its length is enough";
  EXPECT_NE(problem("").find(folder.path().string()), std::string::npos) << "a folder";
}

}  // namespace
}  // namespace scalemark::imaging
