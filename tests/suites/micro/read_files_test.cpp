// SPDX-License-Identifier: Apache-2.0
// Known files: their bytes at any place, what is kept, what is refused.
#include "suites/micro/memory/read_files.hpp"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::micro {
namespace {

namespace fs = std::filesystem;

class ReadFiles : public testing::Test {
 protected:
  fs::path file() const { return folder_ / "deeper" / "known.bin"; }

  const test::TempDir folder_;
};

TEST_F(ReadFiles, BytesDependOnTheirPlaceAlone) {
  std::vector<std::uint8_t> whole(1000), part(100);
  known_bytes(whole, 0, 7);
  for (const std::uint64_t offset : {0U, 1U, 7U, 8U, 333U, 900U}) {
    known_bytes(part, offset, 7);
    EXPECT_TRUE(
        std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset)))
        << offset;
    EXPECT_EQ(wrong_bytes(part, offset, 7), 0U);
    EXPECT_GT(wrong_bytes(part, offset + 1, 7), 90U) << "of another place";
    EXPECT_GT(wrong_bytes(part, offset, 8), 90U) << "of another seed";
  }
  part[50] ^= 1U;
  EXPECT_EQ(wrong_bytes(part, 900, 7), 1U);
}

TEST_F(ReadFiles, AFileIsMadeOnceAndReadAnywhere) {
  constexpr std::uint64_t kBytes = (5 << 20) + 3;  // no multiple of what is written at a time
  ensure_known_file(file(), kBytes, 7);
  ASSERT_EQ(fs::file_size(file()), kBytes);
  const auto first = fs::last_write_time(file());
  ensure_known_file(file(), kBytes, 7);
  EXPECT_EQ(fs::last_write_time(file()), first) << "written again though it is there";
  const OpenFile open(file(), O_RDONLY);
  std::vector<std::uint8_t> part(4096);
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{4095}, kBytes - part.size()}) {
    read_all(open, part, offset);
    EXPECT_EQ(wrong_bytes(part, offset, 7), 0U) << offset;
  }
  EXPECT_THROW(read_all(open, part, kBytes - 10), Error) << "the file ends before";
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), {}), 1)
      << "an unfinished file is left";
}

TEST_F(ReadFiles, AFileWithOtherBytesIsWrittenAnew) {
  fs::create_directories(file().parent_path());
  std::ofstream(file()) << std::string(8192, 'x');
  ensure_known_file(file(), 8192, 7);
  std::vector<std::uint8_t> whole(8192);
  read_all(OpenFile(file(), O_RDONLY), whole, 0);
  EXPECT_EQ(wrong_bytes(whole, 0, 7), 0U);
}

TEST_F(ReadFiles, WhatCannotBeOpenedOrWrittenSaysWhy) {
  try {
    OpenFile(folder_ / "none", O_RDONLY);
    FAIL() << "a file that is not there was opened";
  } catch (const Unavailable& error) {
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
  std::ofstream(folder_ / "deeper") << "a file where a folder should be";
  EXPECT_THROW(ensure_known_file(file(), 8192, 7), Unavailable);
}

TEST_F(ReadFiles, WhatIsInMemoryIsKnown) {
  constexpr std::uint64_t kBytes = 1 << 20;
  ensure_known_file(file(), kBytes, 7);
  const OpenFile open(file(), O_RDONLY);
  std::vector<std::uint8_t> whole(kBytes);
  read_all(open, whole, 0);
  EXPECT_GT(part_in_memory(open, kBytes), 0.9) << "it was read just now";
  drop_from_memory(open);
  const double left = part_in_memory(open, kBytes);
  EXPECT_TRUE(left >= 0 && left <= 1) << left;  // file systems in memory forget nothing
}

}  // namespace
}  // namespace scalemark::micro
