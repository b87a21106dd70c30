// SPDX-License-Identifier: Apache-2.0
// Stands between this program (also HDF5 and the C++ library) and libc.
#undef _FORTIFY_SOURCE  // its inline functions have these names, too
#include "tests/common/store/file_calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace scalemark::test {
namespace {

constexpr std::size_t kMaxFiles = 1024;

// Plain globals: the tests have one thread that works with files.
std::string folder;  // of whose files calls are looked at; empty: none
Fault planned = Fault::none;
long nth = 0;
long* calls = nullptr;  // in memory that child processes share
bool recording = false;
std::vector<FileCall> recorded;
std::array<bool, kMaxFiles> watched{};  // open files of the folder
std::array<std::int64_t, kMaxFiles> position{};

bool is_watched(const char* path) {
  return !folder.empty() && std::string(path).starts_with(folder);
}

bool is_watched(int file) {
  return !folder.empty() && file >= 0 && static_cast<std::size_t>(file) < kMaxFiles &&
         watched[static_cast<std::size_t>(file)];
}

/// Counts a call, and says whether it fails; it may end the process.
bool fails() {
  if ((*calls)++ != nth || planned == Fault::none) return false;
  if (planned == Fault::kills) raise(SIGKILL);
  errno = planned == Fault::full ? ENOSPC : EIO;
  return true;
}

void record(FileCall call) {
  if (recording) recorded.push_back(std::move(call));
}

template <typename Function>
Function libc(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int open_watched(const char* path, int flags, mode_t mode) {
  static const auto real = libc<int (*)(const char*, int, mode_t)>("open");
  if (!is_watched(path)) return real(path, flags, mode);
  if (fails()) return -1;
  const bool existed = access(path, F_OK) == 0;
  const int file = real(path, flags, mode);
  if (file < 0 || static_cast<std::size_t>(file) >= kMaxFiles) return file;
  watched[static_cast<std::size_t>(file)] = true;
  position[static_cast<std::size_t>(file)] = 0;
  record({.kind = FileCall::Kind::open,
          .path = path,
          .file = file,
          .made = !existed,
          .emptied = (flags & O_TRUNC) != 0});
  return file;
}

ssize_t write_watched(int file, const void* data, std::size_t size, off_t at) {
  static const auto real = libc<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
  const ssize_t written = real(file, data, size, at);
  if (written > 0)
    record({.kind = FileCall::Kind::write,
            .data = std::string(static_cast<const char*>(data), static_cast<std::size_t>(written)),
            .file = file,
            .offset = at});
  return written;
}

ssize_t write_at(int file, const void* data, std::size_t size, off_t at) {
  if (is_watched(file) && fails()) {
    const int why = errno;
    if (planned == Fault::full) write_watched(file, data, size / 2, at);
    errno = why;
    return -1;
  }
  return write_watched(file, data, size, at);
}

ssize_t read_at(int file, void* data, std::size_t size, off_t at) {
  static const auto real = libc<ssize_t (*)(int, void*, std::size_t, off_t)>("pread");
  if (is_watched(file) && fails()) return -1;
  return real(file, data, size, at);
}

int resize(int file, off_t size) {
  static const auto real = libc<int (*)(int, off_t)>("ftruncate");
  if (is_watched(file) && fails()) return -1;
  const int code = real(file, size);
  if (code == 0 && is_watched(file))
    record({.kind = FileCall::Kind::resize, .file = file, .offset = size});
  return code;
}

int sync(int file, const char* name) {
  if (!is_watched(file)) return libc<int (*)(int)>(name)(file);
  if (fails()) return -1;
  record({.kind = FileCall::Kind::sync, .file = file});
  return 0;  // this machine does not lose its power
}

int remove_path(const char* path, const char* name) {
  const auto real = libc<int (*)(const char*)>(name);
  if (!is_watched(path)) return real(path);
  if (fails()) return -1;
  const int code = real(path);
  if (code == 0) record({.kind = FileCall::Kind::remove, .path = path});
  return code;
}

int two_paths(const char* from, const char* to, const char* name, FileCall::Kind kind) {
  const auto real = libc<int (*)(const char*, const char*)>(name);
  if (!is_watched(from) && !is_watched(to)) return real(from, to);
  if (fails()) return -1;
  const int code = real(from, to);
  if (code == 0) record({.kind = kind, .path = from, .to = to});
  return code;
}

}  // namespace

void plan_fault(const std::string& where, Fault fault, long n) {
  folder = where;
  planned = fault;
  nth = n;
  static long* const shared = static_cast<long*>(
      mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  calls = shared;
  *calls = 0;
}

long counted_calls() { return *calls; }

void end_faults() {
  folder.clear();
  planned = Fault::none;
  watched.fill(false);
}

void begin_recording(const std::string& where) {
  plan_fault(where, Fault::none, 0);
  recorded.clear();
  recording = true;
}

void mark(const std::string& remark) { record({.kind = FileCall::Kind::mark, .path = remark}); }

std::vector<FileCall> end_recording() {
  recording = false;
  end_faults();
  return std::exchange(recorded, {});
}

}  // namespace scalemark::test

// NOLINTBEGIN
using namespace scalemark::test;

extern "C" {

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_watched(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_watched(path, flags, mode);
}

int close(int file) {
  static const auto real = libc<int (*)(int)>("close");
  if (file >= 0 && static_cast<std::size_t>(file) < kMaxFiles)
    watched[static_cast<std::size_t>(file)] = false;
  return real(file);
}

// Appending files are written where they end.
ssize_t write(int file, const void* data, size_t size) {
  static const auto real = libc<ssize_t (*)(int, const void*, size_t)>("write");
  if (!is_watched(file)) return real(file, data, size);
  off_t& at = position[static_cast<std::size_t>(file)];
  if ((fcntl(file, F_GETFL) & O_APPEND) != 0) at = lseek(file, 0, SEEK_END);
  const ssize_t written = write_at(file, data, size, at);
  if (written > 0) at += written;
  return written;
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  return write_at(file, data, size, at);
}
ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  return write_at(file, data, size, at);
}

ssize_t read(int file, void* data, size_t size) {
  static const auto real = libc<ssize_t (*)(int, void*, size_t)>("read");
  return is_watched(file) && fails() ? -1 : real(file, data, size);
}
ssize_t pread(int file, void* data, size_t size, off_t at) { return read_at(file, data, size, at); }
ssize_t pread64(int file, void* data, size_t size, off64_t at) {
  return read_at(file, data, size, at);
}

int ftruncate(int file, off_t size) noexcept { return resize(file, size); }
int ftruncate64(int file, off64_t size) noexcept { return resize(file, size); }

int posix_fallocate(int file, off_t offset, off_t size) {
  static const auto real = libc<int (*)(int, off_t, off_t)>("posix_fallocate");
  return is_watched(file) && fails() ? errno : real(file, offset, size);
}
int posix_fallocate64(int file, off64_t offset, off64_t size) {
  return posix_fallocate(file, offset, size);
}

int fsync(int file) { return sync(file, "fsync"); }
int fdatasync(int file) { return sync(file, "fdatasync"); }

int rename(const char* from, const char* to) noexcept {
  return two_paths(from, to, "rename", FileCall::Kind::rename);
}
int link(const char* from, const char* to) noexcept {
  return two_paths(from, to, "link", FileCall::Kind::link);
}
int unlink(const char* path) noexcept { return remove_path(path, "unlink"); }
int remove(const char* path) noexcept { return remove_path(path, "remove"); }
int rmdir(const char* path) noexcept { return remove_path(path, "rmdir"); }

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = libc<int (*)(const char*, mode_t)>("mkdir");
  if (!is_watched(path)) return real(path, mode);
  if (fails()) return -1;
  const int code = real(path, mode);
  if (code == 0) record({.kind = FileCall::Kind::make_folder, .path = path});
  return code;
}

}  // extern "C"
// NOLINTEND
