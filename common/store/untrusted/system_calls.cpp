// SPDX-License-Identifier: Apache-2.0
// Filters system calls by a program for the kernel's packet filter, as seccomp(2) describes. Not by
// libseccomp: so every build has this wall, without another package.
#include "common/store/untrusted/system_calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Every sanitizer's library has it.
extern "C" __attribute__((weak)) void __sanitizer_print_stack_trace();  // NOLINT

namespace scalemark::store {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
constexpr std::array kOnlyHere = {SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_pause};
constexpr int kOldOpen = SYS_open;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
constexpr std::array kOnlyHere = {SYS_ppoll};
constexpr int kOldOpen = -1;
#else
constexpr std::uint32_t kMachine = 0;
constexpr std::array kOnlyHere = {SYS_read};
constexpr int kOldOpen = -1;
#endif

constexpr std::array kAllowed = {
    // files
    SYS_read, SYS_pread64, SYS_readv, SYS_lseek, SYS_close, SYS_fcntl, SYS_fstat, SYS_newfstatat,
    SYS_statx, SYS_fstatfs, SYS_getdents64, SYS_readlinkat, SYS_faccessat, SYS_getcwd,
    // memory
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_futex,
    // this process, and its end by an exception or a crash
    SYS_exit, SYS_exit_group, SYS_getpid, SYS_gettid, SYS_tgkill, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    // time and random numbers
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrandom,
    SYS_sched_yield};

using Program = std::vector<sock_filter>;

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
sock_filter end(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
/// Skips this many instructions if the loaded number is another.
sock_filter unless(std::uint32_t number, std::size_t skip) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, static_cast<std::uint8_t>(skip));
}

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

void allow(Program& program, long call) {
  program.push_back(unless(static_cast<std::uint32_t>(call), 1));
  program.push_back(end(SECCOMP_RET_ALLOW));
}

/// The lower half of an argument; the upper one of flags and descriptors is ignored by the kernel.
sock_filter load_argument(std::size_t argument) {
  return load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
}

/// Allows a call that opens files, where the flags in this argument are for reading.
void allow_to_read(Program& program, long call, std::size_t argument) {
  program.push_back(unless(static_cast<std::uint32_t>(call), 5));
  program.push_back(load_argument(argument));
  program.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_CREAT | O_TRUNC));
  program.push_back(unless(O_RDONLY, 1));
  program.push_back(end(SECCOMP_RET_ALLOW));
  program.push_back(end(kRefuse));
}

/// Allows to write to these descriptors. It must come last: it replaces the loaded number.
void allow_to_write(Program& program, std::initializer_list<int> files) {
  program.push_back(unless(SYS_write, 1 + 2 * files.size()));
  program.push_back(load_argument(0));
  for (const int file : files) allow(program, file);
}

Program filter(int sink) {
  Program program = {load(offsetof(seccomp_data, arch)), unless(kMachine, 1),
                     BPF_STMT(BPF_JMP | BPF_JA, 1), end(kRefuse), load(offsetof(seccomp_data, nr))};
  for (const long call : kAllowed) allow(program, call);
  for (const long call : kOnlyHere) allow(program, call);
  allow_to_read(program, SYS_openat, 2);
  if (kOldOpen >= 0) allow_to_read(program, kOldOpen, 1);
  allow_to_write(program, {STDOUT_FILENO, STDERR_FILENO, sink});
  program.push_back(end(kRefuse));
  return program;
}

bool close_between(unsigned first, unsigned last) {
  return first > last || syscall(SYS_close_range, first, last, 0U) == 0;
}

void close_others(int sink) {
  const auto kept = static_cast<unsigned>(sink);
  if (close_between(STDERR_FILENO + 1, kept - 1) && close_between(kept + 1, UINT_MAX)) return;
  // A kernel before 5.9 has no such call.
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  constexpr rlim_t kManyEnough = 65536;
  const int last = static_cast<int>(std::min(most.rlim_cur, kManyEnough));
  for (int file = STDERR_FILENO + 1; file < last; ++file) {
    if (file != sink) close(file);
  }
}

}  // namespace

bool filters_system_calls() { return kMachine != 0 && __sanitizer_print_stack_trace == nullptr; }

bool allow_only_reading(int sink) {
  close_others(sink);
  if (!filters_system_calls()) return false;
  Program program = filter(sink);
  const sock_fprog all = {static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

}  // namespace scalemark::store
