// SPDX-License-Identifier: Apache-2.0
// Lock file in the parts folder: at most one process writes a result file.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "common/store/lease.hpp"

namespace scalemark::store {

/// Name of the lock file. Its first line is "host pid start-time boot-id pid-namespace lease",
/// which job scripts read, too; the second is random.
constexpr const char* kLockName = "lock";

/// Owns a lock file, renews its time of change (lease.hpp) and removes it in the destructor. The
/// file is also locked for the kernel where the file system supports that, which network file
/// systems often do not.
class Lock {
 public:
  Lock() = default;
  /// Throws UsageError if another process holds the lock, Error if the file cannot be created.
  /// Three locks are taken over: one of this host whose process has ended; one of another
  /// container, or from before the system's start, that the kernel says nobody holds; and one that
  /// was not renewed for kLease. A lock that the kernel says is held is never taken over.
  explicit Lock(const std::filesystem::path& parts,
                std::chrono::milliseconds renewal = kLeaseRenewal);
  ~Lock();
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&& other) noexcept;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  /// To be called before each write: throws Error if the lock is no longer this one's. It was taken
  /// over if this process stood still for kLease, or was removed by hand. Does nothing without a
  /// lock.
  void check_own() const;
  /// Closes the file and leaves it where it is, for whoever removes its folder: on network file
  /// systems a file that is removed while open stays under a hidden name.
  void leave() noexcept;

 private:
  bool is_own() const;
  void release() noexcept;
  std::filesystem::path path_;
  std::string text_;  ///< the file's content, which no other lock has
  int file_ = -1;     ///< open as long as the lock is held
  std::unique_ptr<LeaseRenewal> renewal_;
};

}  // namespace scalemark::store
