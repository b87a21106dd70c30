// SPDX-License-Identifier: Apache-2.0
// Starts the child process, limits it, reads its pipe, and reports how it ended.
#include "common/store/untrusted/sandbox.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/descriptor.hpp"
#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/untrusted/system_calls.hpp"
#include "common/store/untrusted/tree_check.hpp"

namespace scalemark::store {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::size_t kBuffer = std::size_t{256} << 10;

/// Thrown when the stream ends too early. The child's exit status says why.
struct EndOfStream {};

/// A child process, killed and waited for at the end of the scope.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ < 0) return;
    kill(id_, SIGKILL);
    end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  struct End {
    int status = 0;          ///< as of waitpid()
    double cpu_seconds = 0;  ///< s of CPU time, of user and system
  };
  /// s of CPU time that the child has used so far; 0 if it has ended.
  double cpu_seconds() const {
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(id_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
  }
  /// Waits for the child to end.
  End end() {
    End end;
    rusage used{};
    while (wait4(id_, &end.status, 0, &used) < 0 && errno == EINTR) continue;
    id_ = -1;
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      end.cpu_seconds +=
          static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    return end;
  }

 private:
  pid_t id_;
};

void limit(int resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &now);
  now.rlim_max = std::min(now.rlim_max, hard);
  now.rlim_cur = std::min(now.rlim_cur, soft);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

void limit(int resource, rlim_t value) { limit(resource, value, value); }

/// Size of this process's address space in bytes; 0 if /proc does not report it. Takes no memory.
std::uint64_t mapped_bytes() {
  std::array<char, 128> text{};
  const Descriptor file(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 || read(file.get(), text.data(), text.size() - 1) <= 0) return 0;
  const std::uint64_t pages = std::strtoull(text.data(), nullptr, 10);
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Exit codes of a child that got no memory: its limit was used up, or the machine has less than
/// the limit allows.
constexpr int kBeyondLimit = 71, kNoMemory = 72;
/// Added to the errno of a file that could not be read.
constexpr int kReadFailed = 100;

/// What the child may take, for a handler that has no arguments.
struct {
  std::uint64_t limit = 0, mapped_before = 0;
} allowed;

/// Whether the machine has less memory than the child may take: half of what its limit leaves
/// cannot be mapped.
bool lacks_memory() {
  const std::uint64_t now = mapped_bytes(), most = allowed.mapped_before + allowed.limit;
  const std::uint64_t half = now < most ? (most - now) / 2 : 0;
  return half > kMiB && mmap(nullptr, half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                             0) == MAP_FAILED;
}

/// Ends the child after an allocation failed. A file that asks for too much leaves some of the
/// limit.
[[noreturn]] void end_without_memory() { _exit(lacks_memory() ? kNoMemory : kBeyondLimit); }

/// HDF5 uses some of its blocks unseen, and crashes where there was no memory for one.
void on_crash(int signal) {
  if (lacks_memory()) _exit(kNoMemory);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void confine(const SandboxLimits& limits, pid_t parent, int sink) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  allowed = {limits.memory, mapped_bytes()};
  // Before an exception is thrown: there may be no memory for one, or nobody to catch it.
  std::set_new_handler(end_without_memory);
  // HDF5 calls exit() where its table of identifiers gets no memory, and nowhere else.
  std::atexit(end_without_memory);
  for (const int signal : {SIGXCPU, SIGFPE, SIGILL, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(signal, on_crash);
  // Output of a crashing library would break the rule of one line per error.
  if (const int nothing = open("/dev/null", O_RDWR); nothing >= 0) {
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, file);
  }
  if (allowed.mapped_before > 0) limit(RLIMIT_AS, allowed.mapped_before + limits.memory);
  // The kernel counts by ticks, and sends SIGXCPU at the soft limit, SIGKILL at the hard one.
  limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  allow_only_reading(sink);
}

/// Buffers small writes.
class Sender {
 public:
  explicit Sender(int file) : file_(file) { buffer_.reserve(kBuffer); }
  void add(std::span<const char> bytes) {
    if (buffer_.size() + bytes.size() > kBuffer) flush();
    if (bytes.size() > kBuffer) return write_all(bytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void flush() {
    write_all(buffer_);
    buffer_.clear();
  }

 private:
  void write_all(std::span<const char> bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      // The reader has closed the pipe.
      if (written <= 0) _exit(1);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
  int file_;
  std::vector<char> buffer_;
};

[[noreturn]] void live_as_child(int file, const std::function<void(const SendBytes&)>& produce) {
  Sender sender(file);
  const SendBytes send = [&](std::span<const char> bytes) { sender.add(bytes); };
  const h5::FailureWatch watch;
  const auto end_if_unread = [&] {
    if (watch.number() != 0) _exit(kReadFailed + watch.number());
  };
  try {
    produce(send);
    end_if_unread();
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (const OutOfMemory&) {
    end_without_memory();
  } catch (const h5::ReadFailed& error) {
    _exit(kReadFailed + error.number());
  } catch (const std::exception& error) {
    end_if_unread();
    send_refusal(send, error.what());
  }
  sender.flush();
  // Skips destructors and buffers inherited from the parent.
  _exit(0);
}

class Receiver {
 public:
  Receiver(int file, const Child& child, const SandboxLimits& limits)
      : file_(file),
        child_(child),
        left_(limits.sent),
        silent_seconds_(limits.silent_seconds),
        buffer_(kBuffer) {}
  void fill(std::span<char> bytes) {
    if (bytes.size() > left_) throw InputError("more was read than the file can hold");
    left_ -= bytes.size();
    while (!bytes.empty()) {
      // Long reads bypass the buffer.
      if (begin_ == end_ && bytes.size() >= buffer_.size()) {
        bytes = bytes.subspan(read_some(bytes));
        continue;
      }
      if (begin_ == end_) {
        begin_ = 0;
        end_ = read_some(buffer_);
      }
      const std::size_t some = std::min(bytes.size(), end_ - begin_);
      std::memcpy(bytes.data(), buffer_.data() + begin_, some);
      begin_ += some;
      bytes = bytes.subspan(some);
    }
  }

 private:
  /// Waits for data. The CPU limit ends a child that computes, however few cores there are; one
  /// that sleeps would never be ended. What it waits for is not in the file: the file system does
  /// not answer.
  void await() {
    // A child that gets less than this share of a core is taken as asleep.
    constexpr double kLeastShare = 0.01;
    pollfd waiting{file_, POLLIN, 0};
    while (true) {
      const int ready = poll(&waiting, 1, silent_seconds_ * 1000);
      if (ready > 0) return;
      if (ready < 0 && errno == EINTR) continue;
      const double used = child_.cpu_seconds();
      if (used - cpu_seconds_ < kLeastShare * silent_seconds_)
        throw NotRead(fmt::format("reading stalled: no data for {} s", silent_seconds_));
      cpu_seconds_ = used;
    }
  }
  std::size_t read_some(std::span<char> into) {
    await();
    ssize_t got = 0;
    do {
      got = read(file_, into.data(), into.size());
    } while (got < 0 && errno == EINTR);
    if (got <= 0) throw EndOfStream{};
    return static_cast<std::size_t>(got);
  }
  int file_;
  const Child& child_;
  std::uint64_t left_;
  int silent_seconds_;
  double cpu_seconds_ = 0;  ///< s of CPU time that the child had used when it was last silent
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

/// Throws what the end of the child says about the file.
[[noreturn]] void report(const Child::End& end, const SandboxLimits& limits) {
  const std::uint64_t mib = limits.memory / kMiB;
  if (WIFEXITED(end.status)) {
    const int code = WEXITSTATUS(end.status);
    if (code == kNoMemory)
      throw NotRead(fmt::format("there is not enough memory to read it: it may take {} MiB", mib));
    if (code > kReadFailed) throw h5::ReadFailed(code - kReadFailed);
    if (code == kBeyondLimit)
      throw InputError(fmt::format("needs more than {} MiB of memory", mib));
    throw InputError(
        fmt::format("could not be read: the reading process exited with code {}", code));
  }
  const int signal = WTERMSIG(end.status);
  // SIGKILL is for a child that lives on after SIGXCPU.
  const bool used_its_time = end.cpu_seconds > 0.9 * static_cast<double>(limits.cpu_seconds);
  if (signal == SIGXCPU || (signal == SIGKILL && used_its_time))
    throw InputError(fmt::format("reading took more than {} s of CPU time", limits.cpu_seconds));
  if (signal == SIGKILL)
    throw NotRead(
        "the process that read it was killed, which the kernel does when memory runs out");
  throw InputError(
      fmt::format("reading crashed (signal {}): the file is damaged or malicious", signal));
}

}  // namespace

SandboxLimits limits_for(std::uint64_t file_size) {
  constexpr std::uint64_t kLargest = h5::kMaxDatasetBytes + 1024 * kMiB;
  const TreeLimits tree;
  const std::uint64_t size = std::min(file_size, std::uint64_t{1} << 50);
  return {.memory = 384 * kMiB + std::min(size * tree.expansion, kLargest),
          .cpu_seconds = 20 + size / (4 * kMiB),
          .sent = 2 * tree.unpacked + size * 2 * tree.expansion};
}

void run_apart(const SandboxLimits& limits, const std::function<void(const SendBytes&)>& produce,
               const std::function<void(const ReceiveBytes&)>& consume) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw NotRead(fmt::format("no pipe to a process that reads it: {}", std::strerror(errno)));
  }
  Descriptor source(ends[0]), sink(ends[1]);
  fcntl(sink.get(), F_SETPIPE_SZ, 1 << 20);
  const pid_t parent = getpid(), id = fork();
  if (id < 0)
    throw NotRead(fmt::format("no process could be started to read it: {}", std::strerror(errno)));
  if (id == 0) {
    source.close();
    confine(limits, parent, sink.get());
    live_as_child(sink.get(), produce);
  }
  Child child(id);
  sink.close();
  Receiver receiver(source.get(), child, limits);
  try {
    consume([&](std::span<char> bytes) { receiver.fill(bytes); });
  } catch (const EndOfStream&) {
    report(child.end(), limits);
  }
}

}  // namespace scalemark::store
