// SPDX-License-Identifier: Apache-2.0
// Maps and touches host memory, or page-locks it.
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/device/host/host_memory.hpp"
#include "common/device/memory_cycle.hpp"

namespace scalemark::device {
namespace {

class MappingCycle final : public MemoryCycle {
 public:
  MappingCycle(std::size_t bytes, bool huge)
      : bytes_(whole_pages(bytes, huge)), page_(page_bytes(huge)), huge_(huge) {
    const std::string why = huge ? why_no_huge_pages() : std::string();
    if (!why.empty()) throw Unavailable(why);
    huge ? require_huge_pages(bytes_) : require_host_memory(bytes_);
  }
  ~MappingCycle() override {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  MappingCycle(const MappingCycle&) = delete;
  MappingCycle& operator=(const MappingCycle&) = delete;

  Steps steps() const override {
    return {
        .get = "mmap, a write to each page", .give_back = "munmap", .page = page_, .zeroes = true};
  }
  void get() override {
    data_ = map_pages(bytes_, huge_);
    touch_pages(data_, bytes_, page_);
  }
  void give_back() override {
    munmap(data_, bytes_);
    data_ = nullptr;
  }
  void* data() const override { return data_; }

 private:
  std::size_t bytes_, page_;
  bool huge_;
  void* data_ = nullptr;
};

std::uint64_t lock_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

// Direct system calls, because AddressSanitizer turns mlock() of the C library into a no-op.
int lock(const void* data, std::size_t bytes) {
  return static_cast<int>(syscall(SYS_mlock, data, bytes));
}
void unlock(const void* data, std::size_t bytes) { syscall(SYS_munlock, data, bytes); }

class LockingCycle final : public MemoryCycle {
 public:
  explicit LockingCycle(std::size_t bytes) : pages_(bytes, false) {
    pages_.get();
    bytes_ = whole_pages(bytes, false);
    get();  // throws if this process may not lock the memory
    give_back();
  }

  Steps steps() const override {
    return {.get = "mlock of touched pages", .give_back = "munlock", .page = pages_.steps().page};
  }
  void get() override {
    if (lock(pages_.data(), bytes_) == 0) return;
    const int error = errno;
    const std::string why = why_no_lock(error, lock_limit(), bytes_);
    if (!why.empty()) throw Unavailable(why);
    throw OutOfMemory(fmt::format("mlock of {}: {}", units::bytes(bytes_), std::strerror(error)));
  }
  void give_back() override { unlock(pages_.data(), bytes_); }
  void* data() const override { return pages_.data(); }

 private:
  MappingCycle pages_;  ///< the destructor's munmap(2) also unlocks
  std::size_t bytes_ = 0;
};

}  // namespace

std::string why_no_lock(int error, std::uint64_t limit, std::size_t bytes) {
  if (error != EPERM && (error != ENOMEM || limit == RLIM_INFINITY)) return {};
  const std::string most =
      limit == RLIM_INFINITY ? "unlimited" : units::bytes(static_cast<std::size_t>(limit));
  return fmt::format("no permission to lock {} of memory (RLIMIT_MEMLOCK: {})", units::bytes(bytes),
                     most);
}

std::unique_ptr<MemoryCycle> make_mapping_cycle(std::size_t bytes, bool huge) {
  return std::make_unique<MappingCycle>(bytes, huge);
}

std::unique_ptr<MemoryCycle> make_locking_cycle(std::size_t bytes) {
  return std::make_unique<LockingCycle>(bytes);
}

}  // namespace scalemark::device
