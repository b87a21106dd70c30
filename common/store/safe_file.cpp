// SPDX-License-Identifier: Apache-2.0
// Atomic file writing: temporary name, sync, rename.
#include "common/store/safe_file.hpp"

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace scalemark::store {
namespace {

constexpr const char* kSuffix = ".tmp";

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : file_(open(path.c_str(), flags | O_CLOEXEC, 0644)), path_(path) {
    if (file_ < 0) fail(errno);
  }
  ~Descriptor() { close(file_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }
  [[noreturn]] void fail(int problem) const {
    throw Error(fmt::format("{}: {}", path_.string(), std::strerror(problem)));
  }

 private:
  int file_;
  std::filesystem::path path_;
};

void sync(const std::filesystem::path& path, int flags) {
  const Descriptor file(path, flags);
  // Some file systems cannot sync a folder. The file itself has been synced.
  if (fsync(file.get()) != 0 && errno != EINVAL) file.fail(errno);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

void write_bytes(const std::filesystem::path& path, std::span<const char> bytes) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) file.fail(written < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// Removes a file when it goes out of scope, unless it was renamed before.
class Removal {
 public:
  explicit Removal(std::filesystem::path path) : path_(std::move(path)) {}
  ~Removal() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::filesystem::path temporary_for(const std::filesystem::path& folder, const std::string& name) {
  return folder / fmt::format(".{}.{}{}", name, getpid(), kSuffix);
}

void write_safely(const std::filesystem::path& path, const std::function<void(hid_t root)>& fill,
                  const SafeWrite& how) {
  const std::filesystem::path folder = folder_of(path);
  const std::string name = path.filename().string();
  const Removal temporary(temporary_for(how.staging.empty() ? folder : how.staging, name));
  try {
    if (how.in_memory) {
      write_bytes(temporary.path(), h5::file_image(fill));
    } else {
      h5::Id file = h5::create_file(temporary.path());
      fill(file.get());
      file.close("cannot finish " + temporary.path().string());
    }
    if (how.check) how.check(h5::open_file(temporary.path()).get());
    sync(temporary.path(), O_RDONLY);
    std::filesystem::rename(temporary.path(), path);
    sync(folder, O_RDONLY | O_DIRECTORY);
  } catch (const std::exception& error) {
    throw Error(fmt::format("{} could not be written: {}", path.string(), error.what()));
  }
}

void reserve_space(const std::filesystem::path& folder, std::uintmax_t bytes) {
  const Removal temporary(temporary_for(folder, "reserve"));
  const Descriptor file(temporary.path(), O_WRONLY | O_CREAT | O_TRUNC);
  const int problem = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  if (problem == 0) return;
  throw Error(fmt::format("{} KiB cannot be written in {}: {}", bytes / 1024, folder.string(),
                          std::strerror(problem)));
}

bool is_temporary(const std::string& name) {
  return name.starts_with('.') && name.ends_with(kSuffix);
}

}  // namespace scalemark::store
