// SPDX-License-Identifier: Apache-2.0
// MPI-3 shared-memory windows.
#include "common/mpi/shared_window.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <sys/statvfs.h>

namespace scalemark::mpi {
namespace {

/// Where MPI libraries keep shared-memory windows on Linux.
constexpr const char* kSharedMemory = "/dev/shm";

/// Free bytes there; no limit if unknown.
std::uint64_t free_shared_memory() {
  struct statvfs system {};
  if (statvfs(kSharedMemory, &system) != 0) return std::numeric_limits<std::int64_t>::max();
  return std::uint64_t{system.f_bavail} * system.f_frsize;
}

}  // namespace

void require_shared_memory(const Comm& ranks, std::uint64_t bytes) {
  const auto least = ranks.min(static_cast<std::int64_t>(free_shared_memory()));
  const auto most = ranks.max(static_cast<std::int64_t>(bytes));
  if (least >= most) return;
  throw OutOfMemory(fmt::format("a shared window needs {} MiB in {}, {} are free", most >> 20,
                                kSharedMemory, least >> 20));
}

SharedWindow::SharedWindow(Comm ranks, std::size_t bytes) : ranks_(std::move(ranks)) {
  // With a single rank, MPI uses ordinary memory.
  require_shared_memory(ranks_, ranks_.size() > 1 ? bytes : 0);
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  void* mine = nullptr;
  check(MPI_Win_allocate_shared(ranks_.rank() == 0 ? static_cast<MPI_Aint>(size) : 0, 1,
                                MPI_INFO_NULL, ranks_.get(), &mine, &window_));
  check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  MPI_Aint length = 0;
  int unit = 0;
  void* base = nullptr;
  check(MPI_Win_shared_query(window_, 0, &length, &unit, &base));
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  bytes_ = {static_cast<std::uint8_t*>(base), bytes};
}

SharedWindow::SharedWindow(SharedWindow&& other) noexcept
    : ranks_(std::move(other.ranks_)),
      window_(std::exchange(other.window_, MPI_WIN_NULL)),
      bytes_(std::exchange(other.bytes_, {})) {}

SharedWindow& SharedWindow::operator=(SharedWindow&& other) noexcept {
  // `old` frees the previous window.
  SharedWindow old(std::move(*this));
  ranks_ = std::move(other.ranks_);
  window_ = std::exchange(other.window_, MPI_WIN_NULL);
  bytes_ = std::exchange(other.bytes_, {});
  return *this;
}

SharedWindow::~SharedWindow() {
  if (window_ == MPI_WIN_NULL) return;
  if (std::uncaught_exceptions() > 0 && ranks_.size() > 1) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void SharedWindow::publish() const {
  check(MPI_Win_sync(window_));
  ranks_.barrier();
  check(MPI_Win_sync(window_));
}

}  // namespace scalemark::mpi
