// SPDX-License-Identifier: Apache-2.0
// A file in which all ranks write and read pieces in turn, and the proof that each piece arrived.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "common/core/case.hpp"
#include "common/mpi/file.hpp"

namespace scalemark::micro {

/// How the ranks access the file.
struct FileAccess {
  bool writes = false;
  mpi::FilePointer pointer = mpi::FilePointer::explicit_offset;
  bool collective = false;
  bool own_files = false;  ///< a file for each rank
};

/// The file is made of blocks, each with a piece of `bytes` for each rank. It is removed at the
/// end.
class SharedFile {
 public:
  /// Collective. Creates it in `folder`, with so many blocks; throws Unavailable where there is not
  /// enough space.
  SharedFile(Case& c, const std::filesystem::path& folder, FileAccess access, std::uint64_t bytes,
             std::uint64_t blocks);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  /// Collective, as that of mpi::File.
  ~SharedFile();

  /// Collective. Writes all blocks, for reads. Each has contents of its own.
  void fill_blocks();
  /// Data of a round, for writes.
  void fill_piece(int round);

  /// Collective. Goes to the next block, or back to the first one. Not to be timed.
  void advance();
  /// Writes or reads this rank's piece of the block. Collective if the access is.
  void transfer() { file_->transfer(access_to_block()); }
  /// Starts that.
  mpi::PendingTransfer start() { return file_->start(access_to_block()); }
  /// Collective.
  void sync() { file_->sync(); }

  /// Collective. Whether the last block holds what was written in this round: each rank looks at
  /// another's piece.
  Case::Checked check_written(int round);
  /// Collective. Whether the piece that was read last is one of the block's, and no rank's else.
  Case::Checked check_read();

 private:
  std::int64_t offset_of(int rank, std::uint64_t block) const;
  mpi::FileTransfer access_to_block();
  /// An independent access to a rank's piece of a block.
  mpi::FileTransfer access_to(int rank, std::uint64_t block, bool writes);
  /// Writes the owner's data of a round, or of a block, to the buffer.
  void known_piece(int owner, std::uint64_t generation);
  /// Compares the buffer.
  Case::Checked compare(int expected, std::uint64_t generation);
  std::span<std::uint8_t> piece() { return {buffer_.as<std::uint8_t>(), bytes_}; }

  Case& c_;
  FileAccess access_;
  std::uint64_t bytes_, blocks_;
  std::uint64_t block_;  ///< at first the last one: advance() begins with the first
  mpi::Comm alone_;      ///< this rank, for a file of its own
  std::filesystem::path path_;
  std::unique_ptr<mpi::File> file_;
  /// At a page's start: reads to odd addresses can take many times as long.
  device::Buffer buffer_;
};

}  // namespace scalemark::micro
