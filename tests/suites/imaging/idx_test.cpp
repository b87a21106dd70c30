// SPDX-License-Identifier: Apache-2.0
// The IDX reader: what is right, and everything that lies.
#include "suites/imaging/data/idx.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::imaging {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Magic, dimensions, then `values` bytes 0, 1, 2, ...
Bytes idx_file(const std::vector<std::uint32_t>& shape, std::size_t values,
               std::uint8_t type = 0x08) {
  Bytes file{0, 0, type, static_cast<std::uint8_t>(shape.size())};
  for (const std::uint32_t length : shape) {
    for (int shift = 24; shift >= 0; shift -= 8)
      file.push_back(static_cast<std::uint8_t>(length >> shift));
  }
  for (std::size_t i = 0; i < values; ++i) file.push_back(static_cast<std::uint8_t>(i));
  return file;
}

/// gzip-compressed by zlib itself.
Bytes packed(const Bytes& plain) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes out(deflateBound(&stream, plain.size()) + 32);
  Bytes in = plain;
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// The text of the error that parsing gives, which names the origin; empty if there is none.
std::string error_of(const Bytes& file) {
  try {
    parse_idx(file, "the-origin");
    return "";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("the-origin: ", 0), 0U) << text;
    return text;
  }
}

TEST(Idx, ReadsPlainAndPackedFilesAlike) {
  const Bytes file = idx_file({2, 3, 4}, 24);
  for (const Bytes& form : {file, packed(file)}) {
    const Idx idx = parse_idx(form, "memory");
    EXPECT_EQ(idx.shape, (std::vector<std::uint32_t>{2, 3, 4}));
    ASSERT_EQ(idx.values.size(), 24U);
    EXPECT_EQ(idx.values[23], 23);
  }
}

TEST(Idx, EveryTruncationIsAnError) {
  const Bytes file = idx_file({2, 3}, 6), gz = packed(file);
  for (std::size_t length = 0; length < file.size(); ++length) {
    EXPECT_NE(error_of(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length))), "")
        << length;
  }
  for (std::size_t length = 0; length < gz.size(); ++length) {
    EXPECT_NE(error_of(Bytes(gz.begin(), gz.begin() + static_cast<std::ptrdiff_t>(length))), "")
        << length;
  }
}

TEST(Idx, DataBeyondThePromiseIsAnError) {
  EXPECT_NE(error_of(idx_file({2, 3}, 7)).find("more data than the 6 bytes"), std::string::npos);
  EXPECT_NE(error_of(packed(idx_file({2, 3}, 7))).find("more data than the 6 bytes"),
            std::string::npos);
  Bytes twice = packed(idx_file({2, 3}, 6));
  twice.push_back(0);
  EXPECT_NE(error_of(twice).find("after the end of the gzip stream"), std::string::npos);
}

TEST(Idx, ForeignFilesAreNamedByTheirMagic) {
  EXPECT_NE(error_of({'h', 'e', 'l', 'l', 'o', 0, 0, 0}).find("magic 68656c6c"), std::string::npos);
  EXPECT_NE(error_of(idx_file({2}, 2, 0x0D)).find("not an IDX file of unsigned bytes"),
            std::string::npos)
      << "floats";
  EXPECT_NE(error_of(idx_file({1, 1, 1, 1, 1}, 1)).find("1 to 4 dimensions"), std::string::npos);
  EXPECT_NE(error_of(idx_file({}, 1)).find("1 to 4 dimensions"), std::string::npos);
}

TEST(Idx, SizesAreCheckedBeforeMemoryIsTaken) {
  EXPECT_NE(error_of(idx_file({0, 5}, 0)).find("length 0"), std::string::npos);
  EXPECT_NE(error_of(idx_file({0xFFFFFFFF}, 8)).find("4294967295"), std::string::npos);
  // Every dimension is small enough, their product overflows 64 bits or is too large.
  EXPECT_NE(error_of(idx_file({0x10000, 0x10000, 0x10000, 0x10000}, 8)).find("holds 1 to"),
            std::string::npos);
  EXPECT_NE(error_of(idx_file({1024, 1024, 1024}, 8)).find("more than a file of"),
            std::string::npos);
  EXPECT_NE(error_of(packed(idx_file({1024, 1024, 1024}, 8))).find("more than a file of"),
            std::string::npos);
}

TEST(Idx, DamagedCompressionIsAnErrorWhereverItIs) {
  // Any changed byte behind the gzip header breaks the stream, the check sum or the length.
  const Bytes gz = packed(idx_file({16, 16}, 256));
  for (std::size_t i = 10; i < gz.size(); ++i) {
    Bytes damaged = gz;
    damaged[i] ^= 0x55;
    EXPECT_NE(error_of(damaged), "") << "byte " << i;
  }
}

TEST(Idx, FilesOnDiskAreReadAndNamedInErrors) {
  const test::TempDir dir;
  const auto path = dir / "labels";
  const Bytes file = idx_file({3}, 3);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  EXPECT_EQ(read_idx(path).values, (Bytes{0, 1, 2}));
  for (const auto& wrong : {dir / "absent", dir.path()}) {
    try {
      read_idx(wrong);
      ADD_FAILURE() << wrong << " was read";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(wrong.string()), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace scalemark::imaging
