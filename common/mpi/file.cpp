// SPDX-License-Identifier: Apache-2.0
// Calls of MPI-IO.
#include "common/mpi/file.hpp"

#include <exception>

#include <fmt/format.h>

namespace scalemark::mpi {
namespace {

void require_all(const MPI_Status& status, const FileTransfer& transfer) {
  int bytes = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &bytes));
  if (bytes == transfer.bytes) return;
  throw Error(fmt::format("{} {} of {} bytes of a file", transfer.writes ? "wrote" : "read", bytes,
                          transfer.bytes));
}

/// MPI's functions for one kind of access: `Result` is a status, or a request.
template <typename Data, typename Result>
struct Calls {
  using AtOffset = int (*)(MPI_File, MPI_Offset, Data, int, MPI_Datatype, Result*);
  using AtPointer = int (*)(MPI_File, Data, int, MPI_Datatype, Result*);
  AtOffset at, at_all;
  AtPointer individual, individual_all, shared, ordered;

  Result run(MPI_File file, const FileTransfer& one) const {
    Result result{};
    if (one.pointer == FilePointer::explicit_offset) {
      check(
          (one.collective ? at_all : at)(file, one.offset, one.data, one.bytes, MPI_BYTE, &result));
      return result;
    }
    const bool is_shared = one.pointer == FilePointer::shared;
    const AtPointer all = is_shared ? ordered : individual_all;
    const AtPointer call = one.collective ? all : is_shared ? shared : individual;
    if (call == nullptr) throw Error("MPI starts no collective access to a shared file pointer");
    check(call(file, one.data, one.bytes, MPI_BYTE, &result));
    return result;
  }
};

constexpr Calls<const void*, MPI_Status> kWrite{MPI_File_write_at,     MPI_File_write_at_all,
                                                MPI_File_write,        MPI_File_write_all,
                                                MPI_File_write_shared, MPI_File_write_ordered};
constexpr Calls<void*, MPI_Status> kRead{MPI_File_read_at,     MPI_File_read_at_all,
                                         MPI_File_read,        MPI_File_read_all,
                                         MPI_File_read_shared, MPI_File_read_ordered};
constexpr Calls<const void*, MPI_Request> kStartWrite{
    MPI_File_iwrite_at,  MPI_File_iwrite_at_all, MPI_File_iwrite,
    MPI_File_iwrite_all, MPI_File_iwrite_shared, nullptr};
constexpr Calls<void*, MPI_Request> kStartRead{MPI_File_iread_at,     MPI_File_iread_at_all,
                                               MPI_File_iread,        MPI_File_iread_all,
                                               MPI_File_iread_shared, nullptr};

}  // namespace

PendingTransfer::~PendingTransfer() {
  // After an exception the other ranks may be anywhere.
  if (request_ != MPI_REQUEST_NULL && std::uncaught_exceptions() == 0)
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

bool PendingTransfer::test() {
  if (request_ == MPI_REQUEST_NULL) return true;
  int ended = 0;
  MPI_Status status{};
  check(MPI_Test(&request_, &ended, &status));
  if (ended != 0) require_all(status, transfer_);
  return ended != 0;
}

void PendingTransfer::wait() {
  if (request_ == MPI_REQUEST_NULL) return;
  MPI_Status status{};
  check(MPI_Wait(&request_, &status));
  require_all(status, transfer_);
}

File::File(const Comm& ranks, const std::filesystem::path& path) {
  check(MPI_File_open(ranks.get(), path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file_));
}

File::~File() {
  // As other owners here: after an exception the other ranks may be anywhere.
  if (std::uncaught_exceptions() > 0) return;
  MPI_File_close(&file_);
}

void File::transfer(const FileTransfer& transfer) {
  require_all(transfer.writes ? kWrite.run(file_, transfer) : kRead.run(file_, transfer), transfer);
}

PendingTransfer File::start(const FileTransfer& transfer) {
  return {transfer.writes ? kStartWrite.run(file_, transfer) : kStartRead.run(file_, transfer),
          transfer};
}

void File::seek(FilePointer pointer, std::int64_t offset) {
  if (pointer == FilePointer::individual) check(MPI_File_seek(file_, offset, MPI_SEEK_SET));
  if (pointer == FilePointer::shared) check(MPI_File_seek_shared(file_, offset, MPI_SEEK_SET));
}

void File::sync() { check(MPI_File_sync(file_)); }

void File::set_size(std::int64_t bytes) { check(MPI_File_set_size(file_, bytes)); }

}  // namespace scalemark::mpi
