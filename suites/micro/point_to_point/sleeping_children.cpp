// SPDX-License-Identifier: Apache-2.0
// Children read from a pipe whose other end only the parent has: it is closed with the parent.
#include "suites/micro/point_to_point/sleeping_children.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.hpp"

namespace scalemark::micro {

SleepingChildren::SleepingChildren(int count) {
  if (count == 0) return;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(fmt::format("pipe for child processes: {}", std::strerror(errno)));
  const Descriptor waits_at(ends[0]);
  alive_ = std::make_unique<Descriptor>(ends[1]);
  for (int child = 0; child < count; ++child) fork_one(waits_at.get());
}

SleepingChildren::~SleepingChildren() { end(); }

void SleepingChildren::fork_one(int waits_at) {
  const pid_t child = fork();
  if (child < 0) {
    const int why = errno;
    end();
    throw Error(fmt::format("a child process could not be made: {}", std::strerror(why)));
  }
  if (child > 0) {
    children_.push_back(child);
    return;
  }
  // Nothing but system calls: other threads may have held any lock when they were left behind.
  ::close(alive_->get());
  char nothing = 0;
  while (::read(waits_at, &nothing, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

void SleepingChildren::end() noexcept {
  if (alive_) alive_->close();
  for (const pid_t child : children_) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  children_.clear();
}

}  // namespace scalemark::micro
