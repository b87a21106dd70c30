// SPDX-License-Identifier: Apache-2.0
// Atomic file writing: temporary name, sync, rename.
#include "common/base/whole_file.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

void write_and_sync(const std::filesystem::path& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
  bool good = file >= 0;
  while (good && !bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    good = written > 0 || (written < 0 && errno == EINTR);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  good = good && fsync(file) == 0;
  const int problem = errno;
  if (file >= 0) close(file);
  if (!good) throw Error(std::strerror(problem));
}

}  // namespace

void write_whole(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path temporary;
  try {
    temporary = make_temporary(folder_of(path), path.filename().string());
    write_and_sync(temporary, bytes);
    std::filesystem::rename(temporary, path);
  } catch (const std::exception& error) {
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove(temporary, ignored);
    throw Error(fmt::format("{} could not be written: {}", text::printable(path.string(), 300),
                            error.what()));
  }
}

}  // namespace scalemark
