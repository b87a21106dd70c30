// SPDX-License-Identifier: Apache-2.0
// A file that 1, 2 and 4 ranks write and read, against what the system reads from it.
#include "common/mpi/file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/mpi_main.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::mpi {
namespace {

using test::world;

constexpr int kPiece = 5;

/// "aaaaa" for rank 0, "bbbbb" for rank 1.
std::string piece_of(int rank, char first = 'a') {
  return std::string(kPiece, static_cast<char>(first + rank));
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One folder for all ranks, which rank 0 makes and removes.
class FileOfRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (world().rank() == 0) folder_.emplace();
    path_ = world().broadcast(folder_ ? (*folder_ / "file").string() : "");
  }
  void TearDown() override { world().barrier(); }

  std::optional<test::TempDir> folder_;
  std::filesystem::path path_;
};

TEST_F(FileOfRanks, EachPointerWritesAndReadsItsPlaces) {
  const int rank = world().rank(), size = world().size();
  for (const FilePointer pointer :
       {FilePointer::explicit_offset, FilePointer::individual, FilePointer::shared}) {
    for (const bool collective : {false, true}) {
      {
        File file(world(), path_);
        file.set_size(0);
        file.seek(pointer, pointer == FilePointer::shared ? 0 : rank * kPiece);
        file.write(piece_of(rank).data(), kPiece, pointer, collective, rank * kPiece);
        file.sync();
        world().barrier();
        std::string all = contents(path_), expected;
        for (int i = 0; i < size; ++i) expected += piece_of(i);
        if (pointer == FilePointer::shared && !collective) std::ranges::sort(all);
        EXPECT_EQ(all, expected);
        world().barrier();
        file.seek(pointer, pointer == FilePointer::shared ? 0 : rank * kPiece);
        std::string back(kPiece, ' ');
        file.read(back.data(), kPiece, pointer, collective, rank * kPiece);
        if (pointer == FilePointer::shared && !collective)
          EXPECT_EQ(back, std::string(kPiece, back[0])) << "pieces are not torn";
        else
          EXPECT_EQ(back, piece_of(rank));
      }
      world().barrier();
    }
  }
}

TEST_F(FileOfRanks, SaysWhatIsMissing) {
  File file(world(), path_);
  file.set_size(3);
  world().barrier();
  std::string to(kPiece, ' ');
  EXPECT_THROW(file.read(to.data(), kPiece, FilePointer::explicit_offset, false, 0), Error);
  EXPECT_THROW(File(world(), path_ / "no" / "folder"), Error);
}

}  // namespace
}  // namespace scalemark::mpi
