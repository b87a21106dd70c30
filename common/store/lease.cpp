// SPDX-License-Identifier: Apache-2.0
// Renews a lease from a thread, and tells its age.
#include "common/store/lease.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <latch>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/temporary_file.hpp"

namespace scalemark::store {
namespace {

int make_event() {
  const int event = eventfd(0, EFD_CLOEXEC);
  if (event < 0) throw Error(fmt::format("eventfd: {}", std::strerror(errno)));
  return event;
}

/// A failure has no one to tell: the file system may work again before the lease ends, and the
/// owner looks before it writes.
void renew_until_stopped(int file, int stop, int period_ms, std::latch& started) {
  started.count_down();
  const timespec now[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  pollfd event{stop, POLLIN, 0};
  while (poll(&event, 1, period_ms) <= 0) futimens(file, now);
}

}  // namespace

LeaseRenewal::LeaseRenewal(int file, std::chrono::milliseconds period) : stop_(make_event()) {
  // Signals are for the threads that wait for them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    // Its start takes memory, and a process that forks meanwhile has an allocator that is locked.
    std::latch started(1);
    thread_ = std::thread(renew_until_stopped, file, stop_.get(), static_cast<int>(period.count()),
                          std::ref(started));
    started.wait();
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw Error(fmt::format("no thread to renew the lock: {}", error.what()));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LeaseRenewal::~LeaseRenewal() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_.get(), &one, sizeof one);
  thread_.join();
}

std::optional<std::chrono::seconds> age_of(const std::filesystem::path& path) {
  struct stat lock {
  }, fresh{};
  try {
    const std::filesystem::path now = make_temporary(folder_of(path), "time");
    // Opened, so that a network file system asks its server.
    const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    const bool good = fstat(file.get(), &lock) == 0 && stat(now.c_str(), &fresh) == 0;
    unlink(now.c_str());
    if (!good) return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
  return std::chrono::seconds(std::max<std::int64_t>(0, fresh.st_mtime - lock.st_mtime));
}

}  // namespace scalemark::store
