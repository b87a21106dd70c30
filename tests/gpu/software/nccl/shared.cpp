// SPDX-License-Identifier: Apache-2.0
// Makes the segment, in which ranks meet by the name in the id.
#include "tests/gpu/software/nccl/shared.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/gpu/software/nccl/failure.hpp"
#include "tests/gpu/software/nccl/settings.hpp"

namespace scalemark::software_nccl {
namespace {

constexpr char kPrefix[] = "scalemark-nccl-";

void* map(const std::string& name, std::size_t bytes) {
  const int file = shm_open(("/" + name).c_str(), O_RDWR | O_CREAT, 0600);
  require(file >= 0, ncclSystemError, "cannot open the segment in /dev/shm");
  void* at = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
    at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  require(at != MAP_FAILED, ncclSystemError, "cannot map the segment in /dev/shm");
  return at;
}

void remove_left_segments() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix)) continue;
    const pid_t process = std::atoi(name.c_str() + sizeof kPrefix - 1);
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) shm_unlink(("/" + name).c_str());
  }
}

}  // namespace

struct Shared::Rank {
  std::atomic<int> entered;
  char identity[120];
  std::atomic<std::uint64_t> number, meetings, comparisons;  ///< of agree()
  std::atomic<std::uint64_t> kernels;                        ///< of meet()
  SharedMemory memory;
};

struct alignas(64) Shared::Head {
  std::atomic<int> size, failure, arrived;
  Rank ranks[kMostRanks];
};

std::size_t Channel::write(const void* data, std::size_t bytes) {
  const std::uint64_t at = written_.load(std::memory_order_relaxed);
  const std::size_t space = kRing - (at - read_.load(std::memory_order_acquire));
  const std::size_t taken = std::min(bytes, space), first = std::min(taken, kRing - at % kRing);
  if (taken == 0) return 0;
  std::memcpy(ring_ + at % kRing, data, first);
  std::memcpy(ring_, static_cast<const std::byte*>(data) + first, taken - first);
  written_.store(at + taken, std::memory_order_release);
  return taken;
}

std::size_t Channel::read(void* data, std::size_t bytes) {
  const std::uint64_t at = read_.load(std::memory_order_relaxed);
  const std::size_t there = written_.load(std::memory_order_acquire) - at;
  const std::size_t taken = std::min(bytes, there), first = std::min(taken, kRing - at % kRing);
  if (taken == 0) return 0;
  std::memcpy(data, ring_ + at % kRing, first);
  std::memcpy(static_cast<std::byte*>(data) + first, ring_, taken - first);
  read_.store(at + taken, std::memory_order_release);
  return taken;
}

Shared::Shared(const ncclUniqueId& id, int size, int rank, const std::string& identity)
    : name_(id.internal, strnlen(id.internal, sizeof id.internal)), size_(size) {
  require(name_.starts_with(kPrefix), ncclInvalidArgument, "the id is none of ncclGetUniqueId()");
  // As large for all sizes, so that ranks with different sizes find each other. Pages that nobody
  // touches take no memory.
  bytes_ = sizeof(Head) + std::size_t{kMostRanks} * kMostRanks * sizeof(Channel);
  mapped_ = map(name_, bytes_);
  head_ = static_cast<Head*>(mapped_);
  channels_ = reinterpret_cast<Channel*>(head_ + 1);
  try {
    enter(rank, identity);
    wait_for_all(rank);
    refuse_shared_devices(rank);
  } catch (const Failure& failure) {
    fail(failure.code);
    shm_unlink(("/" + name_).c_str());
    munmap(mapped_, bytes_);
    throw;
  }
  shm_unlink(("/" + name_).c_str());
}

Shared::~Shared() { munmap(mapped_, bytes_); }

ncclResult_t Shared::failure() const { return static_cast<ncclResult_t>(head_->failure.load()); }

void Shared::fail(ncclResult_t code) {
  int none = ncclSuccess;
  head_->failure.compare_exchange_strong(none, code);
}

void Shared::enter(int rank, const std::string& identity) {
  int none = 0;
  if (!head_->size.compare_exchange_strong(none, size_))
    require(none == size_, ncclInvalidUsage, "ranks gave different numbers of ranks");
  Rank& mine = head_->ranks[rank];
  require(mine.entered.exchange(1) == 0, ncclInvalidUsage, "two processes are the same rank");
  std::strncpy(mine.identity, identity.c_str(), sizeof mine.identity - 1);
  ++head_->arrived;
}

void Shared::wait_for_all(int rank) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(settings().timeout_s);
  while (head_->arrived < size_) {
    require(failure() == ncclSuccess, ncclRemoteError, "another rank failed to start");
    require(std::chrono::steady_clock::now() < end, ncclInvalidUsage,
            "not all ranks called ncclCommInitRank() in time");
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  delay(rank);
}

void Shared::wait_at(Count count, int rank, const std::atomic<bool>& aborted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(settings().timeout_s);
  const std::uint64_t mine = ++(head_->ranks[rank].*count);
  for (int other = 0; other < size_; ++other) {
    while ((head_->ranks[other].*count) < mine) {
      require(failure() == ncclSuccess && !aborted, ncclRemoteError, "another rank failed");
      require(std::chrono::steady_clock::now() < end, ncclInvalidUsage,
              "not all ranks came here in time");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

bool Shared::agree(int rank, std::uint64_t number, const std::atomic<bool>& aborted) {
  head_->ranks[rank].number = number;
  wait_at(&Rank::meetings, rank, aborted);
  bool are_equal = true;
  for (int other = 0; other < size_; ++other)
    are_equal = are_equal && head_->ranks[other].number == number;
  wait_at(&Rank::comparisons, rank, aborted);
  return are_equal;
}

void Shared::publish(int rank, const SharedMemory& memory) { head_->ranks[rank].memory = memory; }
SharedMemory Shared::memory_of(int rank) const { return head_->ranks[rank].memory; }

void Shared::meet(int rank, const std::atomic<bool>& aborted) {
  wait_at(&Rank::kernels, rank, aborted);
}

/// Every rank compares all pairs, so that all leave alike whichever comes first.
void Shared::refuse_shared_devices(int rank) {
  for (int a = 0; a < size_; ++a) {
    for (int b = 0; b < a; ++b) {
      if (std::strcmp(head_->ranks[a].identity, head_->ranks[b].identity) != 0) continue;
      if (a != rank && b != rank) throw Failure{ncclRemoteError, "another rank failed to start"};
      throw Failure{ncclInvalidUsage, "Duplicate GPU detected : rank " + std::to_string(b) +
                                          " and rank " + std::to_string(a) +
                                          " both on CUDA device " + head_->ranks[a].identity};
    }
  }
}

ncclUniqueId make_id() {
  remove_left_segments();
  static std::atomic<int> made = 0;
  std::random_device random;
  const std::string name = kPrefix + std::to_string(getpid()) + "-" + std::to_string(++made) + "-" +
                           std::to_string(random());
  ncclUniqueId id{};
  std::memcpy(id.internal, name.c_str(), name.size());
  return id;
}

std::string identity_of(int place) {
  const char* host = std::getenv("NCCL_HOSTID");
  return std::string(host == nullptr ? "" : host) + " " + std::to_string(place);
}

}  // namespace scalemark::software_nccl
