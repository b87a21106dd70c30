// SPDX-License-Identifier: Apache-2.0
// Lock file in the parts folder: at most one process writes a result file.
#pragma once

#include <filesystem>
#include <string>

namespace scalemark::store {

/// Name of the lock file. Its content is "host pid start-time boot-id pid-namespace"; job scripts
/// read it, too.
constexpr const char* kLockName = "lock";

/// Owns a lock file and removes it in the destructor. The file is also locked for the kernel where
/// the file system supports that, which network file systems often do not.
class Lock {
 public:
  Lock() = default;
  /// Throws UsageError if another process holds the lock, Error if the file cannot be created. A
  /// lock of this host whose process has ended is taken over; that of another container, or from
  /// before the system's start, only if the kernel says that nobody holds it. A process on another
  /// host cannot be checked: its lock holds until the user removes it.
  explicit Lock(const std::filesystem::path& parts);
  ~Lock();
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&& other) noexcept;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  void release() noexcept;
  std::filesystem::path path_;
  int file_ = -1;  ///< open as long as the lock is held
};

}  // namespace scalemark::store
