// SPDX-License-Identifier: Apache-2.0
// Calls of MPI-IO.
#include "common/mpi/file.hpp"

#include <exception>

#include <fmt/format.h>

namespace scalemark::mpi {
namespace {

void require_all(const MPI_Status& status, int wanted, const char* what) {
  int bytes = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &bytes));
  if (bytes != wanted) throw Error(fmt::format("{} {} of {} bytes of a file", what, bytes, wanted));
}

}  // namespace

File::File(const Comm& ranks, const std::filesystem::path& path) {
  check(MPI_File_open(ranks.get(), path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file_));
}

File::~File() {
  // As other owners here: after an exception the other ranks may be anywhere.
  if (std::uncaught_exceptions() > 0) return;
  MPI_File_close(&file_);
}

void File::write(const void* from, int bytes, FilePointer pointer, bool collective,
                 std::int64_t offset) {
  MPI_Status status{};
  switch (pointer) {
    case FilePointer::explicit_offset:
      check((collective ? MPI_File_write_at_all : MPI_File_write_at)(file_, offset, from, bytes,
                                                                     MPI_BYTE, &status));
      break;
    case FilePointer::individual:
      check((collective ? MPI_File_write_all : MPI_File_write)(file_, from, bytes, MPI_BYTE,
                                                               &status));
      break;
    case FilePointer::shared:
      check((collective ? MPI_File_write_ordered : MPI_File_write_shared)(file_, from, bytes,
                                                                          MPI_BYTE, &status));
  }
  require_all(status, bytes, "wrote");
}

void File::read(void* to, int bytes, FilePointer pointer, bool collective, std::int64_t offset) {
  MPI_Status status{};
  switch (pointer) {
    case FilePointer::explicit_offset:
      check((collective ? MPI_File_read_at_all : MPI_File_read_at)(file_, offset, to, bytes,
                                                                   MPI_BYTE, &status));
      break;
    case FilePointer::individual:
      check((collective ? MPI_File_read_all : MPI_File_read)(file_, to, bytes, MPI_BYTE, &status));
      break;
    case FilePointer::shared:
      check((collective ? MPI_File_read_ordered : MPI_File_read_shared)(file_, to, bytes, MPI_BYTE,
                                                                        &status));
  }
  require_all(status, bytes, "read");
}

void File::seek(FilePointer pointer, std::int64_t offset) {
  if (pointer == FilePointer::individual) check(MPI_File_seek(file_, offset, MPI_SEEK_SET));
  if (pointer == FilePointer::shared) check(MPI_File_seek_shared(file_, offset, MPI_SEEK_SET));
}

void File::sync() { check(MPI_File_sync(file_)); }

void File::set_size(std::int64_t bytes) { check(MPI_File_set_size(file_, bytes)); }

}  // namespace scalemark::mpi
