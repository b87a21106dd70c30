// SPDX-License-Identifier: Apache-2.0
// One writer a result file: a lock file in the parts folder.
#pragma once

#include <filesystem>
#include <string>

namespace scalemark::store {

/// Name of the lock in the parts folder. Content: "host pid start-time", read by the job scripts
/// too.
constexpr const char* kLockName = "lock";

/// Owner of a lock file; removes it when destroyed. File locks (flock) are not used, since network
/// file systems often lack them.
class Lock {
 public:
  Lock() = default;
  /// Throws UsageError if another process holds it, Error if the file cannot be made. The lock of a
  /// process of this host that is gone is taken over; a process of another host cannot be asked, so
  /// its lock counts until it is removed by hand.
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
