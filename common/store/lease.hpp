// SPDX-License-Identifier: Apache-2.0
// Signs of life of a lock's owner, for hosts that cannot ask for its process.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "common/base/descriptor.hpp"

namespace scalemark::store {

/// How often the owner of a lock renews it.
constexpr std::chrono::milliseconds kLeaseRenewal = std::chrono::seconds(10);

/// A lock that was not renewed for so long has lost its owner. Twelve renewals: a busy file system
/// answers late, and where clients set the times of files (Lustre), their clocks differ.
constexpr std::chrono::seconds kLease{120};

/// Sets the time of change of an open file to now, again and again, until it is destroyed. Its
/// thread takes no locks and no memory, so that the process may fork at any time.
class LeaseRenewal {
 public:
  /// Throws Error if the thread or its pipe cannot be made. `file` must stay open.
  explicit LeaseRenewal(int file, std::chrono::milliseconds period = kLeaseRenewal);
  ~LeaseRenewal();
  LeaseRenewal(const LeaseRenewal&) = delete;
  LeaseRenewal& operator=(const LeaseRenewal&) = delete;

 private:
  Descriptor stop_;  ///< written to at the end
  std::thread thread_;
};

/// Time since a file was changed, by the clock that gives new files of its folder their times,
/// which is the server's for NFS. At least 0; nothing if the file is gone or the folder takes no
/// file.
std::optional<std::chrono::seconds> age_of(const std::filesystem::path& path);

}  // namespace scalemark::store
