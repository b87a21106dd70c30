// SPDX-License-Identifier: Apache-2.0
// A file that several ranks read and write (MPI-IO).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <mpi.h>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Which position of the file an access uses.
enum class FilePointer { explicit_offset, individual, shared };

/// Opened for reading and writing by all ranks of a communicator, which it must not outlive. All
/// functions throw Error with MPI's text. Positions are in bytes.
class File {
 public:
  /// Collective. Creates the file if it is not there.
  File(const Comm& ranks, const std::filesystem::path& path);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  /// Collective. Closes the file, which stays. During an exception it stays open, and nothing
  /// waits.
  ~File();

  /// Writes or reads `bytes` at `offset`, or where the pointer stands, which then moves on. A
  /// shared pointer gives each access a place of its own; collective ones get them in the order of
  /// the ranks. Throws Error if less was transferred.
  void write(const void* from, int bytes, FilePointer pointer, bool collective,
             std::int64_t offset);
  void read(void* to, int bytes, FilePointer pointer, bool collective, std::int64_t offset);
  /// Moves a pointer. Collective if it is the shared one.
  void seek(FilePointer pointer, std::int64_t offset);
  /// Collective. What was written is on storage, and seen by all ranks behind the next sync.
  void sync();
  /// Collective. Exactly so many bytes.
  void set_size(std::int64_t bytes);

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace scalemark::mpi
