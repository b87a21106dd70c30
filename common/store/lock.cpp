// SPDX-License-Identifier: Apache-2.0
// Takes the lock, and checks whether its owner is still alive.
#include "common/store/lock.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/store/safe_file.hpp"

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

/// Whether the process that wrote the lock has ended. Only processes of this host can be checked.
bool is_stale(const std::string& owner) {
  const std::vector<std::string> words = text::split(owner, ' ');
  if (words.size() != 3 || words[0] != host_name() || !text::parse_integer(words[1])) return false;
  return start_time(words[1]) != words[2];
}

/// Creates the lock; false if it exists. link() makes it appear together with its content (atomic,
/// also on NFS), so a kill leaves no lock without an owner.
bool create(const std::filesystem::path& path) {
  const std::string pid = std::to_string(getpid());
  const std::filesystem::path own = temporary_for(path.parent_path(), path.filename().string());
  {
    std::ofstream file(own, std::ios::trunc);
    file << fmt::format("{} {} {}", host_name(), pid, start_time(pid)) << std::flush;
    if (!file) {
      const int problem = errno;
      unlink(own.c_str());
      throw Error(fmt::format("{} cannot be written: {}", own.string(), std::strerror(problem)));
    }
  }
  const int code = link(own.c_str(), path.c_str());
  const int problem = errno;
  unlink(own.c_str());
  if (code == 0) return true;
  if (problem == EEXIST) return false;
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
  const std::filesystem::path aside = temporary_for(path.parent_path(), "stale-lock");
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
    if (create(path)) {
      path_ = path;
      return;
    }
    const std::string owner = content(path);
    if (!is_stale(owner)) {
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

Lock::Lock(Lock&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Lock& Lock::operator=(Lock&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void Lock::release() noexcept {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace scalemark::store
