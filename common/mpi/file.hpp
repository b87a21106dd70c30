// SPDX-License-Identifier: Apache-2.0
// A file that several ranks read and write (MPI-IO).
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include <mpi.h>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Which position of the file an access uses.
enum class FilePointer { explicit_offset, individual, shared };

/// One read or write of a rank.
struct FileTransfer {
  bool writes = false;
  FilePointer pointer = FilePointer::explicit_offset;
  /// All ranks call it together. A shared pointer then serves them in the order of the ranks.
  bool collective = false;
  void* data = nullptr;
  int bytes = 0;
  std::int64_t offset = 0;  ///< of explicit_offset; the others start where the pointer stands
};

/// A transfer that was started. Destroying it waits for its end, except during an exception. Throws
/// Error with MPI's text, or if less was transferred than asked for.
class PendingTransfer {
 public:
  PendingTransfer() = default;
  PendingTransfer(MPI_Request request, const FileTransfer& transfer)
      : request_(request), transfer_(transfer) {}
  PendingTransfer(PendingTransfer&& other) noexcept { swap(other); }
  PendingTransfer& operator=(PendingTransfer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~PendingTransfer();

  /// Whether it has ended, or never begun; also makes progress.
  bool test();
  void wait();

 private:
  void swap(PendingTransfer& other) noexcept {
    std::swap(request_, other.request_);
    std::swap(transfer_, other.transfer_);
  }

  MPI_Request request_ = MPI_REQUEST_NULL;
  FileTransfer transfer_;
};

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

  /// Returns when the data are read, or may be changed; an own or shared pointer moves on. Throws
  /// Error if less was transferred.
  void transfer(const FileTransfer& transfer);
  /// Starts it. MPI has no such call for a shared pointer that is used collectively: throws Error.
  /// In Open MPI 4.1 a read beyond the end of the file never ends.
  PendingTransfer start(const FileTransfer& transfer);
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
