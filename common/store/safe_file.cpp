// SPDX-License-Identifier: Apache-2.0
// Temporary name, sync, rename.
#include "common/store/safe_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace scalemark::store {
namespace {

void sync_path(const std::filesystem::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) throw Error(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  const int code = fsync(file);
  const int problem = errno;
  close(file);
  // Some file systems cannot sync a folder; the file itself was synced.
  if (code != 0 && problem != EINVAL) throw Error(fmt::format("{}: {}", path.string(), std::strerror(problem)));
}

}  // namespace

void sync_folder(const std::filesystem::path& folder) { sync_path(folder, O_RDONLY | O_DIRECTORY); }

void write_safely(const std::filesystem::path& path, const std::function<void(hid_t root)>& fill) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::filesystem::path temporary = folder / fmt::format(".{}.{}.tmp", path.filename().string(), getpid());
  try {
    h5::Id file = h5::create_file(temporary);
    fill(file.get());
    file.close(fmt::format("cannot finish {}", path.string()));
    sync_path(temporary, O_RDONLY);
    std::filesystem::rename(temporary, path);
    sync_folder(folder);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Error(fmt::format("{} could not be written: {}", path.string(), error.what()));
  }
}

}  // namespace scalemark::store
