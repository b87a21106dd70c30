// SPDX-License-Identifier: Apache-2.0
// Takes the lock, and checks whether its owner is still alive.
#include "common/store/lock.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/small_files.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text.hpp"

namespace scalemark::store {
namespace {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// Start time of a process of this host, from /proc/PID/stat; empty if there is no such process. It
/// distinguishes a process from a later one with the same id.
std::string start_time(const std::string& pid) {
  std::ifstream stat("/proc/" + pid + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return "";
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 2 > line.size()) return "";
  // After the name in parentheses: state is field 3, the start time field 22.
  const std::vector<std::string> fields = text::split(line.substr(name_end + 2), ' ');
  if (fields.size() < 20 || fields[0] == "Z" || fields[0] == "X") return "";
  return fields[19];
}

/// Identifies the namespace in which process ids of this process mean something.
std::string pid_namespace() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
}

std::string own_words() {
  const std::string pid = std::to_string(getpid());
  return fmt::format("{} {} {} {} {}", host_name(), pid, start_time(pid), boot_id(),
                     pid_namespace());
}

enum class Held { yes, no, unknown };

/// Takes the kernel's lock on an open file until it is closed, also by the end of the process.
/// Unlike process ids it is seen from other containers of this system and, where the file system
/// can, from other hosts.
Held hold(int file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(file, F_OFD_SETLK, &whole) == 0) return Held::no;
  return errno == EAGAIN || errno == EACCES ? Held::yes : Held::unknown;
}

Held held_by_another(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return Held::unknown;
  const Held held = hold(file);
  close(file);
  return held;
}

/// Whether the process that wrote the lock has ended. Only processes of hosts of this name can be
/// checked. Earlier versions wrote host, process and its start only.
bool is_stale(const std::string& owner, Held held) {
  const std::vector<std::string> words = text::split(owner, ' ');
  if (held == Held::yes || (words.size() != 3 && words.size() != 5)) return false;
  if (words[0] != host_name() || !text::parse_integer(words[1])) return false;
  const bool same_processes =
      words.size() == 3 || (words[3] == boot_id() && words[4] == pid_namespace());
  if (same_processes) return start_time(words[1]) != words[2];
  // The system was started again, or the owner is in another container.
  return held == Held::no;
}

/// Creates the lock and returns its open file; nothing if it exists. link() makes it appear
/// together with its content (atomic, also on NFS), so a kill leaves no lock without an owner.
std::optional<int> create(const std::filesystem::path& path) {
  const std::filesystem::path own = make_temporary(path.parent_path(), path.filename().string());
  const std::string words = own_words();
  const int file = open(own.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  bool good = file >= 0 && write(file, words.data(), words.size()) == std::ssize(words);
  if (good) hold(file);
  good = good && link(own.c_str(), path.c_str()) == 0;
  const int problem = errno;
  unlink(own.c_str());
  if (good) return file;
  if (file >= 0) close(file);
  if (problem == EEXIST) return std::nullopt;
  throw Error(fmt::format("{} cannot be made: {}", path.string(), std::strerror(problem)));
}

std::string content(const std::filesystem::path& path) {
  std::string owner;
  std::getline(std::ifstream(path), owner);
  return owner;
}

/// Removes the lock if it still belongs to `owner`. It is first moved aside and checked, and put
/// back if another process has taken it meanwhile.
bool remove_stale(const std::filesystem::path& path, const std::string& owner) {
  const std::filesystem::path aside = temporary_name(path.parent_path(), "stale-lock");
  if (rename(path.c_str(), aside.c_str()) != 0) return errno == ENOENT;
  const bool same = content(aside) == owner;
  if (!same && link(aside.c_str(), path.c_str()) != 0) return false;  // another process has it
  unlink(aside.c_str());
  return same;
}

}  // namespace

Lock::Lock(const std::filesystem::path& parts) {
  const std::filesystem::path path = parts / kLockName;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const std::optional<int> file = create(path)) {
      path_ = path;
      file_ = *file;
      return;
    }
    const std::string owner = content(path);
    if (!is_stale(owner, held_by_another(path))) {
      throw UsageError(fmt::format(
          "{} is being written by another process ({}); if that process has ended, remove {}",
          parts.string(), owner.empty() ? "unknown" : text::printable(owner, 120), path.string()));
    }
    if (!remove_stale(path, owner)) break;
  }
  throw UsageError(
      fmt::format("{} cannot be taken over: another process is doing so", path.string()));
}

Lock::~Lock() { release(); }

Lock::Lock(Lock&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::exchange(other.file_, -1)) {}

Lock& Lock::operator=(Lock&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::exchange(other.path_, {});
    file_ = std::exchange(other.file_, -1);
  }
  return *this;
}

void Lock::release() noexcept {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
  if (file_ >= 0) close(file_);
  path_.clear();
  file_ = -1;
}

}  // namespace scalemark::store
