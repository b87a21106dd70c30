// SPDX-License-Identifier: Apache-2.0
// Lock file in the parts folder: at most one process writes a result file.
#pragma once

#include <filesystem>
#include <string>

namespace scalemark::store {

/// Name of the lock file. Its content is "host pid start-time"; job scripts read it, too.
constexpr const char* kLockName = "lock";

/// Owns a lock file and removes it in the destructor. flock() is not used because network file
/// systems often do not support it.
class Lock {
 public:
  Lock() = default;
  /// Throws UsageError if another process holds the lock, Error if the file cannot be created. A
  /// lock of this host whose process has ended is taken over. A process on another host cannot be
  /// checked: its lock holds until the user removes it.
  explicit Lock(const std::filesystem::path& parts);
  ~Lock();
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&& other) noexcept;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  void release() noexcept;
  std::filesystem::path path_;
};

}  // namespace scalemark::store
