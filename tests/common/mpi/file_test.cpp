// SPDX-License-Identifier: Apache-2.0
// A file that 1, 2 and 4 ranks write and read, against what the system reads from it.
#include "common/mpi/file.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
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

/// What `way` writes is what the system reads, and what it reads back.
void expect_pieces(const std::filesystem::path& path, FilePointer pointer, bool collective,
                   const std::function<void(File&, const FileTransfer&)>& way) {
  SCOPED_TRACE(static_cast<int>(pointer) * 2 + static_cast<int>(collective));
  const int rank = world().rank(), size = world().size();
  const bool is_shared = pointer == FilePointer::shared, in_any_order = is_shared && !collective;
  std::string piece = piece_of(rank);
  FileTransfer transfer{.writes = true,
                        .pointer = pointer,
                        .collective = collective,
                        .data = piece.data(),
                        .bytes = kPiece,
                        .offset = rank * kPiece};
  {
    File file(world(), path);
    file.set_size(0);
    file.seek(pointer, is_shared ? 0 : rank * kPiece);
    way(file, transfer);
    file.sync();
    world().barrier();
    std::string all = contents(path), expected;
    for (int i = 0; i < size; ++i) expected += piece_of(i);
    if (in_any_order) std::ranges::sort(all);
    EXPECT_EQ(all, expected);
    world().barrier();
    file.seek(pointer, is_shared ? 0 : rank * kPiece);
    piece.assign(kPiece, ' ');
    transfer.writes = false;
    way(file, transfer);
    EXPECT_EQ(piece, in_any_order ? std::string(kPiece, piece[0]) : piece_of(rank));
  }
  world().barrier();
}

constexpr FilePointer kPointers[] = {FilePointer::explicit_offset, FilePointer::individual,
                                     FilePointer::shared};

TEST_F(FileOfRanks, EachPointerWritesAndReadsItsPlaces) {
  for (const FilePointer pointer : kPointers)
    for (const bool collective : {false, true})
      expect_pieces(path_, pointer, collective,
                    [](File& file, const FileTransfer& one) { file.transfer(one); });
}

TEST_F(FileOfRanks, StartedTransfersEnd) {
  PendingTransfer none;
  EXPECT_TRUE(none.test());
  none.wait();
  for (const FilePointer pointer : kPointers) {
    for (const bool collective : {false, true}) {
      if (pointer == FilePointer::shared && collective) continue;
      expect_pieces(path_, pointer, collective, [](File& file, const FileTransfer& one) {
        PendingTransfer pending = file.start(one);
        if (one.writes) return pending.wait();
        while (!pending.test()) {
        }
      });
      expect_pieces(path_, pointer, collective, [](File& file, const FileTransfer& one) {
        PendingTransfer pending = file.start(one);  // its end waits
      });
    }
  }
}

TEST_F(FileOfRanks, SaysWhatIsMissing) {
  File file(world(), path_);
  file.set_size(3);
  world().barrier();
  std::string to(kPiece, ' ');
  const FileTransfer too_long{.data = to.data(), .bytes = kPiece};
  EXPECT_THROW(file.transfer(too_long), Error);
  EXPECT_THROW(
      file.start(
          {.pointer = FilePointer::shared, .collective = true, .data = to.data(), .bytes = 1}),
      Error);
  EXPECT_THROW(File(world(), path_ / "no" / "folder"), Error);
}

}  // namespace
}  // namespace scalemark::mpi
