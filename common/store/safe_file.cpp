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

#include "common/base/descriptor.hpp"
#include "common/base/temporary_file.hpp"

namespace scalemark::store {
namespace {

/// An open file whose errors name it.
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int flags)
      : file_(open(path.c_str(), flags | O_CLOEXEC)), path_(path) {
    if (file_.get() < 0) fail(errno);
  }
  int get() const { return file_.get(); }
  [[noreturn]] void fail(int problem) const {
    throw Error(fmt::format("{}: {}", path_.string(), std::strerror(problem)));
  }

 private:
  Descriptor file_;
  std::filesystem::path path_;
};

void sync(const std::filesystem::path& path, int flags) {
  const OpenFile file(path, flags);
  // Some file systems cannot sync a folder. The file itself has been synced.
  if (fsync(file.get()) != 0 && errno != EINVAL) file.fail(errno);
}

void write_bytes(const std::filesystem::path& path, std::span<const char> bytes) {
  const OpenFile file(path, O_WRONLY | O_TRUNC | O_NOFOLLOW);
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

/// Gives a file its final name. Without `replace` a file that has this name is an error; file
/// systems without hard links can only look before.
void rename_to(const std::filesystem::path& temporary, const std::filesystem::path& path,
               bool replace) {
  if (!replace) {
    if (link(temporary.c_str(), path.c_str()) == 0) return;  // the temporary is removed later
    if (errno == EEXIST || std::filesystem::exists(path))
      throw Error("it appeared meanwhile, and --force was not given");
  }
  std::filesystem::rename(temporary, path);
}

}  // namespace

void sync_folder(const std::filesystem::path& folder) { sync(folder, O_RDONLY | O_DIRECTORY); }

void write_safely(const std::filesystem::path& path, const std::function<void(hid_t root)>& fill,
                  const SafeWrite& how) {
  const std::filesystem::path folder = folder_of(path);
  const h5::FailureWatch watch;
  try {
    const Removal temporary(
        make_temporary(how.staging.empty() ? folder : how.staging, path.filename().string()));
    if (how.in_memory) {
      write_bytes(temporary.path(), h5::file_image(fill));
    } else {
      h5::Id file = h5::create_file(temporary.path());
      fill(file.get());
      file.close("cannot finish " + temporary.path().string());
    }
    if (how.check) how.check(h5::open_file(temporary.path()).get());
    if (watch.number() != 0) throw Error(std::strerror(watch.number()));
    sync(temporary.path(), O_RDONLY);
    rename_to(temporary.path(), path, how.replace);
    sync_folder(folder);
  } catch (const std::exception& error) {
    throw Error(fmt::format("{} could not be written: {}", path.string(), error.what()));
  }
}

void reserve_space(const std::filesystem::path& folder, std::uintmax_t bytes) {
  const Removal temporary(make_temporary(folder, "reserve"));
  const OpenFile file(temporary.path(), O_WRONLY | O_NOFOLLOW);
  const int problem = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  if (problem == 0) return;
  throw Error(fmt::format("{} KiB cannot be written in {}: {}", bytes / 1024, folder.string(),
                          std::strerror(problem)));
}

}  // namespace scalemark::store
