// SPDX-License-Identifier: Apache-2.0
// What the ranks of a communicator share: a segment of /dev/shm with a channel for each pair.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <nccl.h>

namespace scalemark::software_nccl {

/// Bytes from one rank to another, in order. One writes, one reads; neither waits.
class alignas(64) Channel {
 public:
  /// Takes at most `bytes` bytes; says how many.
  std::size_t write(const void* data, std::size_t bytes);
  std::size_t read(void* data, std::size_t bytes);

 private:
  static constexpr std::size_t kRing = std::size_t{64} << 10;
  std::atomic<std::uint64_t> written_, read_;
  std::byte ring_[kRing];
};

/// The segment of one communicator. All of it is zero at first.
class Shared {
 public:
  static constexpr int kMostRanks = 64;

  /// Opens the segment that the id names and enters as `rank`, on a device that all ranks know by
  /// `identity`. Waits for the other ranks. Throws Failure.
  Shared(const ncclUniqueId& id, int size, int rank, const std::string& identity);
  ~Shared();
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  /// To be used from one rank to the other; a rank has one to itself.
  Channel& channel(int from, int to) { return channels_[from * size_ + to]; }

  /// Waits until all ranks have come here as often as this one, each with its number. Whether the
  /// numbers are equal. Throws Failure, also when `aborted` becomes true.
  bool agree(int rank, std::uint64_t number, const std::atomic<bool>& aborted);

  /// The first failure or abort of any rank, by which all leave; ncclSuccess if there was none.
  ncclResult_t failure() const;
  void fail(ncclResult_t code);

 private:
  struct Head;
  void enter(int rank, const std::string& identity);
  void wait_for_all(int rank);
  void refuse_shared_devices(int rank);

  std::string name_;
  int size_;
  std::size_t bytes_;
  void* mapped_;
  Head* head_;
  Channel* channels_;
};

/// A new name. Removes what processes that are gone left behind.
ncclUniqueId make_id();

/// "host and device": NCCL compares these for ranks that share a device.
std::string identity_of(int place);

}  // namespace scalemark::software_nccl
