// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: writing into regular files of the folder $NO_SPACE_FOLDER fails while a file
// "no_space" is in it, with the number that stands there as errno. A quota without a quota.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace {

/// The errno to fail with; 0 = go on.
int refusal(int file) {
  const char* folder = std::getenv("NO_SPACE_FOLDER");
  if (folder == nullptr) return 0;
  char path[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  if (readlink(link.c_str(), path, sizeof path - 1) < 0) return 0;
  if (std::strncmp(path, folder, std::strlen(folder)) != 0) return 0;
  std::FILE* marker = std::fopen((std::string(folder) + "/no_space").c_str(), "r");
  if (marker == nullptr) return 0;
  int number = 0;
  const bool known = std::fscanf(marker, "%d", &number) == 1;
  std::fclose(marker);
  return known ? number : 0;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (const int number = refusal(file); number != 0) {
    errno = number;
    return -1;
  }
  return real(file, bytes, count);
}

int posix_fallocate(int file, off_t offset, off_t length) {
  static const auto real = next<int (*)(int, off_t, off_t)>("posix_fallocate");
  const int number = refusal(file);
  return number != 0 ? number : real(file, offset, length);
}

}  // extern "C"
