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

/// Memory of a process that others may map.
struct SharedMemory {
  int process = 0;
  int file = -1;  ///< number of its file in that process
  std::uint64_t offset = 0;
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

  /// Tells the other ranks where memory of this one lies. They know it after agree(), and must have
  /// asked for it before the next one.
  void publish(int rank, const SharedMemory& memory);
  SharedMemory memory_of(int rank) const;

  /// Waits until the kernels of all ranks have come here as often as that of this one. Throws as
  /// agree().
  void meet(int rank, const std::atomic<bool>& aborted);

  /// The first failure or abort of any rank, by which all leave; ncclSuccess if there was none.
  ncclResult_t failure() const;
  void fail(ncclResult_t code);

 private:
  struct Rank;
  struct Head;
  void enter(int rank, const std::string& identity);
  void wait_for_all(int rank);
  void refuse_shared_devices(int rank);
  using Count = std::atomic<std::uint64_t> Rank::*;
  void wait_at(Count count, int rank, const std::atomic<bool>& aborted);

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
