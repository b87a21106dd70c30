// SPDX-License-Identifier: Apache-2.0
// Takes the lock, and checks whether its owner is still alive.
#include "common/store/lock.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "common/base/descriptor.hpp"
#include "common/base/error.hpp"
#include "common/base/process.hpp"
#include "common/base/small_files.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text.hpp"

namespace scalemark::store {
namespace {

/// Last word of a lock that its owner renews.
constexpr const char* kLeaseWord = "lease";

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// Start time of a process of this host; empty if it has ended.
std::string start_time(int pid) {
  const std::optional<ProcessStat> stat = process_stat(pid);
  return stat && !stat->has_ended() ? stat->start_time : "";
}

/// Identifies the namespace in which process ids of this process mean something.
std::string pid_namespace() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
}

std::string own_words() {
  return fmt::format("{} {} {} {} {} {}", host_name(), getpid(), start_time(getpid()), boot_id(),
                     pid_namespace(), kLeaseWord);
}

enum class Held { yes, no, unknown };

/// Takes the kernel's lock on an open file until it is closed, also by the end of the process.
/// Unlike process ids it is seen from other containers of this system and, where the file system
/// can, from other hosts. Of `bytes` from `first` on; 0: all.
Held hold(int file, off_t first = 0, off_t bytes = 0) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = bytes;
  if (fcntl(file, F_OFD_SETLK, &range) == 0) return Held::no;
  return errno == EAGAIN || errno == EACCES ? Held::yes : Held::unknown;
}

Held held_by_another(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return Held::unknown;
  const Held held = hold(file);
  close(file);
  return held;
}

/// Content of a lock; empty if it cannot be read. It may be anything, also a pipe. Opened anew, so
/// that a network file system asks its server.
std::string content(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  char text[1024];
  const ssize_t size = read(file.get(), text, sizeof text);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(0, size))};
}

/// First line of a lock: its owner.
std::string owner_of(const std::filesystem::path& path) {
  const std::string all = content(path);
  return all.substr(0, all.find('\n'));
}

bool has_lease(const std::vector<std::string>& words) {
  return words.size() == 6 && words[5] == kLeaseWord;
}

bool is_expired(const std::filesystem::path& path, const std::vector<std::string>& words) {
  if (!has_lease(words)) return false;
  const std::optional<std::chrono::seconds> age = age_of(path);
  return age && *age > kLease;
}

/// Whether the process that wrote the lock has ended. Its own host is asked for the process, the
/// kernel whether the lock is held; where both cannot tell, it is enough that the lock was not
/// renewed. Earlier versions wrote no lease, and before that only host, process and its start.
bool is_stale(const std::filesystem::path& path) {
  const std::vector<std::string> words = text::split(owner_of(path), ' ');
  const Held held = held_by_another(path);
  if (held == Held::yes) return false;
  const bool known = words.size() == 3 || words.size() == 5 || has_lease(words);
  const std::optional<std::int64_t> pid =
      known ? text::parse_integer(words[1]) : std::optional<std::int64_t>();
  if (!pid) return false;
  if (words[0] != host_name()) return is_expired(path, words);
  const bool oldest = words.size() == 3;
  const bool same_system = oldest || words[3] == boot_id();
  if (same_system && (oldest || words[4] == pid_namespace()))
    return start_time(static_cast<int>(*pid)) != words[2];
  // The owner is in another container, or the system was started again, or another host has the
  // same name: for that one this kernel cannot speak.
  const bool kernel_knows = same_system || !has_lease(words);
  return (kernel_knows && held == Held::no) || is_expired(path, words);
}

struct Created {
  int file = -1;     ///< open
  std::string text;  ///< its content
};

/// Creates the lock; nothing if it exists. link() makes it appear together with its content
/// (atomic, also on NFS), so a kill leaves no lock without an owner. The second line is the
/// temporary's name, which is random: no other lock has the same content.
std::optional<Created> create(const std::filesystem::path& path) {
  const std::filesystem::path own = make_temporary(path.parent_path(), path.filename().string());
  const std::string text = own_words() + "\n" + own.filename().string() + "\n";
  const int file = open(own.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  // Synced: an empty lock, after a loss of power, would say nothing about its owner.
  bool good =
      file >= 0 && write(file, text.data(), text.size()) == std::ssize(text) && fsync(file) == 0;
  if (good) hold(file, 0, 1);
  good = good && link(own.c_str(), path.c_str()) == 0;
  int problem = errno;
  // Opened by its new name, and closed by the old one before that is removed: NFS and FUSE keep a
  // file under a hidden name that is removed while it is open. It is held all the time.
  const int named = good ? open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
  if (good && named < 0) {
    problem = errno;
    unlink(path.c_str());
  }
  if (named >= 0) hold(named, 1, 1);
  if (file >= 0) close(file);
  unlink(own.c_str());
  if (named >= 0) return Created{named, text};
  if (problem == EEXIST) return std::nullopt;
  throw Error(fmt::format("{} cannot be made: {}", path.string(), std::strerror(problem)));
}

/// Removes the lock of a process that has ended. It is first moved aside and looked at again, and
/// put back if its owner has come back or another process has taken it meanwhile.
bool remove_stale(const std::filesystem::path& path) {
  const std::filesystem::path aside = temporary_name(path.parent_path(), "stale-lock");
  if (rename(path.c_str(), aside.c_str()) != 0) return errno == ENOENT;
  const bool stale = is_stale(aside);
  if (!stale && link(aside.c_str(), path.c_str()) != 0) return false;  // another process has it
  unlink(aside.c_str());
  return stale;
}

/// What to do about a lock that another process seems to hold.
std::string advice(const std::filesystem::path& path, const std::string& owner) {
  const std::string remove = fmt::format("if that process has ended, remove {}", path.string());
  const std::optional<std::chrono::seconds> age = age_of(path);
  if (!age || !has_lease(text::split(owner, ' '))) return remove;
  return fmt::format("its last sign of life is {} s old, after {} s it is taken over; {}",
                     age->count(), kLease.count(), remove);
}

}  // namespace

Lock::Lock(const std::filesystem::path& parts, std::chrono::milliseconds renewal) {
  const std::filesystem::path path = parts / kLockName;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const std::optional<Created> created = create(path)) {
      path_ = path;
      text_ = created->text;
      file_ = created->file;
      renewal_ = std::make_unique<LeaseRenewal>(file_, renewal);
      return;
    }
    if (!is_stale(path)) {
      const std::string owner = owner_of(path);
      throw UsageError(fmt::format(
          "{} is being written by another process ({}); {}", parts.string(),
          owner.empty() ? "unknown" : text::printable(owner, 120), advice(path, owner)));
    }
    if (!remove_stale(path)) break;
  }
  throw UsageError(
      fmt::format("{} cannot be taken over: another process is doing so", path.string()));
}

// Not by the file's number: on FUSE it belongs to the name, not to the file.
bool Lock::is_own() const { return content(path_) == text_; }

void Lock::check_own() const {
  if (file_ < 0 || is_own()) return;
  throw Error(fmt::format(
      "{} was removed or taken over by another process (this one gave no sign of life for {} s, or "
      "somebody removed it): nothing more is written here, what was finished stays",
      path_.string(), kLease.count()));
}

Lock::~Lock() { release(); }

Lock::Lock(Lock&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      text_(std::exchange(other.text_, {})),
      file_(std::exchange(other.file_, -1)),
      renewal_(std::move(other.renewal_)) {}

Lock& Lock::operator=(Lock&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::exchange(other.path_, {});
    text_ = std::exchange(other.text_, {});
    file_ = std::exchange(other.file_, -1);
    renewal_ = std::move(other.renewal_);
  }
  return *this;
}

void Lock::release() noexcept {
  // Removed before it is closed: once the kernel says that nobody holds it, it may be another's.
  if (file_ >= 0 && is_own()) unlink(path_.c_str());
  leave();
}

void Lock::leave() noexcept {
  renewal_.reset();
  if (file_ >= 0) close(file_);
  path_.clear();
  file_ = -1;
}

}  // namespace scalemark::store
