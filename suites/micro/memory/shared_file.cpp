// SPDX-License-Identifier: Apache-2.0
// Pieces of a file: where they are, what they hold, and whose they are.
#include "suites/micro/memory/shared_file.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "suites/micro/memory/read_files.hpp"

namespace scalemark::micro {
namespace {

namespace fs = std::filesystem;

/// Collective. A name that no other run has; rank 0 makes the folder.
fs::path path_of_run(const Case& c, const fs::path& folder, std::uint64_t bytes) {
  std::string name, problem;
  if (c.rank() == 0) {
    std::error_code error;
    fs::create_directories(folder, error);
    const fs::space_info space = fs::space(folder, error);
    if (error)
      problem = fmt::format("{}: {}", folder.string(), error.message());
    else if (space.available < bytes)
      problem = fmt::format("{}: {} B are wanted, {} B are free", folder.string(), bytes,
                            space.available);
    name = fmt::format("mpi_io-{:08x}.bin", std::random_device{}());
  }
  problem = c.ranks().broadcast(problem);
  if (!problem.empty()) throw Unavailable(problem);
  return folder / c.ranks().broadcast(name);
}

}  // namespace

SharedFile::SharedFile(Case& c, const fs::path& folder, FileAccess access, std::uint64_t bytes,
                       std::uint64_t blocks)
    : c_(c),
      access_(access),
      bytes_(bytes),
      blocks_(blocks),
      block_(blocks - 1),
      path_(path_of_run(c, folder, bytes * blocks * static_cast<std::uint64_t>(c.size()))),
      buffer_(c.hardware().host().allocate(bytes, device::MemoryKind::pageable)) {
  if (access_.own_files) {
    path_ += fmt::format(".{}", c.rank());
    alone_ = c.ranks().split(c.rank(), 0);
  }
  file_ = std::make_unique<mpi::File>(access_.own_files ? alone_ : c.ranks(), path_);
  const std::uint64_t pieces = access_.own_files ? 1 : static_cast<std::uint64_t>(c.size());
  file_->set_size(static_cast<std::int64_t>(bytes_ * blocks_ * pieces));
}

SharedFile::~SharedFile() {
  file_.reset();
  std::error_code ignored;
  if (access_.own_files || c_.rank() == 0) fs::remove(path_, ignored);
}

std::int64_t SharedFile::offset_of(int rank, std::uint64_t block) const {
  if (access_.own_files) return static_cast<std::int64_t>(block * bytes_);
  const auto own = static_cast<std::uint64_t>(rank);
  // With pointers of their own, ranks go through parts of their own; else a block lies together.
  if (access_.pointer == mpi::FilePointer::individual)
    return static_cast<std::int64_t>((own * blocks_ + block) * bytes_);
  return static_cast<std::int64_t>((block * static_cast<std::uint64_t>(c_.size()) + own) * bytes_);
}

void SharedFile::known_piece(int owner, std::uint64_t generation) {
  known_bytes(piece(), static_cast<std::uint64_t>(owner) * bytes_, c_.seed() + generation);
}

void SharedFile::fill_blocks() {
  for (std::uint64_t block = 0; block < blocks_; ++block) {
    known_piece(c_.rank(), block);
    file_->transfer(access_to(c_.rank(), block, /*writes=*/true));
    c_.report_progress();
  }
  file_->sync();
  c_.ranks().barrier();
  file_->sync();
}

void SharedFile::fill_piece(int round) {
  known_piece(c_.rank(), static_cast<std::uint64_t>(round));
}

void SharedFile::advance() {
  if (++block_ < blocks_) return;
  block_ = 0;
  // A shared pointer starts at the first block, an own one at the rank's first piece.
  const bool is_shared = access_.pointer == mpi::FilePointer::shared;
  file_->seek(access_.pointer, is_shared ? 0 : offset_of(c_.rank(), 0));
}

mpi::FileTransfer SharedFile::access_to(int rank, std::uint64_t block, bool writes) {
  return {.writes = writes,
          .data = buffer_.data(),
          .bytes = static_cast<int>(bytes_),
          .offset = offset_of(rank, block)};
}

mpi::FileTransfer SharedFile::access_to_block() {
  mpi::FileTransfer access = access_to(c_.rank(), block_, access_.writes);
  access.pointer = access_.pointer;
  access.collective = access_.collective;
  return access;
}

Case::Checked SharedFile::compare(int expected, std::uint64_t generation) {
  Case::Checked found{bytes_, 0};
  const auto wrong_as_of = [&](int owner) {
    return wrong_bytes(piece(), static_cast<std::uint64_t>(owner) * bytes_, c_.seed() + generation);
  };
  if (access_.pointer != mpi::FilePointer::shared || access_.collective) {
    found.wrong = wrong_as_of(expected);
    return found;
  }
  // Ranks come to a shared pointer in any order: each piece is somebody's, and each is there.
  std::vector<std::int64_t> seen(static_cast<std::size_t>(c_.size()));
  int owner = 0;
  while (owner < c_.size() && wrong_as_of(owner) > 0) ++owner;
  if (owner < c_.size()) seen[static_cast<std::size_t>(owner)] = 1;
  c_.ranks().max(seen);
  const bool one_is_missing = c_.rank() == 0 && std::ranges::count(seen, 0) > 0;
  if (owner == c_.size() || one_is_missing) found.wrong = bytes_;
  return found;
}

Case::Checked SharedFile::check_written(int round) {
  file_->sync();
  c_.ranks().barrier();
  file_->sync();
  const int other = access_.own_files ? c_.rank() : (c_.rank() + 1) % c_.size();
  file_->transfer(access_to(other, block_, /*writes=*/false));
  c_.ranks().barrier();
  const Case::Checked found = compare(other, static_cast<std::uint64_t>(round));
  fill_piece(round);
  return found;
}

Case::Checked SharedFile::check_read() {
  const Case::Checked found = compare(c_.rank(), block_);
  std::ranges::fill(piece(), std::uint8_t{0});
  return found;
}

}  // namespace scalemark::micro
