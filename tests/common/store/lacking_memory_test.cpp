// SPDX-License-Identifier: Apache-2.0
// Lack of memory in the process that reads a file says nothing about the file. malloc() and mmap()
// of this program fail where a test asks for it, in child processes only.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/untrusted/sandbox.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/interrupted.hpp"
#include "tests/support/trials.hpp"

namespace {

constexpr long kNever = std::numeric_limits<long>::max();

// Counted in a child: the calls from `first_failure` on fail.
std::atomic<bool> in_child = false;
std::atomic<long> calls = 0, first_failure = kNever;
// Where this is set, in memory that processes share, only one call fails in all of them.
std::atomic<bool>* failed_once = nullptr;

bool fails() {
  if (!in_child || calls++ < first_failure) return false;
  return failed_once == nullptr || !failed_once->exchange(true);
}

}  // namespace

// glibc's own allocator.
extern "C" void* __libc_malloc(std::size_t);               // NOLINT
extern "C" void* __libc_calloc(std::size_t, std::size_t);  // NOLINT
extern "C" void* __libc_realloc(void*, std::size_t);       // NOLINT

extern "C" void* malloc(std::size_t size) noexcept {
  return fails() ? nullptr : __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails() ? nullptr : __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, std::size_t size) noexcept {
  return fails() ? nullptr : __libc_realloc(old, size);
}

extern "C" void* mmap(void* at, std::size_t size, int access, int flags, int file,
                      off_t offset) noexcept {
  if (fails()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, access, flags, file, offset));
}

namespace scalemark {
namespace {

using ::testing::HasSubstr;

class LackingMemory : public test::Interrupted {
 protected:
  void SetUp() override {
    static const bool once = [] {
      pthread_atfork(nullptr, nullptr, [] { in_child = true; });
      return true;
    }();
    (void)once;
    Interrupted::SetUp();
  }
  void TearDown() override {
    first_failure = kNever;
    Interrupted::TearDown();
  }

  /// Names and sizes of all parts, and of those set aside.
  std::set<std::string> folder() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file() && entry.path().filename() != store::kLockName)
        all.insert(entry.path().string() + " " + std::to_string(entry.file_size()));
    }
    return all;
  }
};

/// The text of an error that does not refuse the file; "" if nothing is thrown.
std::string not_read(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// From one allocation on there is no memory, as where the machine has none left.
TEST_F(LackingMemory, NeverCallsAFileDamaged) {
  interrupt(2, "warm-up");
  finalize_parts(parts_, output_, false);
  const scalemark::Run good = read_run(output_);
  for (long first = 0;; first += test::trials(97, 1)) {
    first_failure = first;
    bool was_read = false;
    const std::string text = not_read([&] {
      test::expect_equal(read_run(output_), good);
      was_read = true;
    });
    EXPECT_EQ(text.empty(), was_read);
    if (was_read) break;
    EXPECT_THAT(text, HasSubstr("there is not enough memory to read it")) << first;
    ASSERT_LT(first, 10'000'000);
  }
}

TEST_F(LackingMemory, NoPartIsSetAside) {
  interrupt(2, "warm-up");
  const std::set<std::string> before = folder();
  for (long first = 0; std::filesystem::exists(parts_); first += test::trials(397, 17)) {
    first_failure = first;
    const std::string text = not_read([&] { finalize_parts(parts_, output_, false); });
    if (text.empty()) break;
    EXPECT_THAT(text, HasSubstr("there is not enough memory to read it")) << first;
    EXPECT_EQ(folder(), before) << first;
  }
  first_failure = kNever;
  EXPECT_EQ(read_run(output_).cases.size(), 3U);
  EXPECT_FALSE(std::filesystem::exists(parts_.string() + ".damaged"));
}

/// A single allocation fails, and the next process that reads the part has all the memory it needs.
TEST_F(LackingMemory, OneFailedAllocationSetsNothingAside) {
  auto* const already = static_cast<std::atomic<bool>*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(already, MAP_FAILED);
  failed_once = already;
  const long step = test::trials(1601, 17);
  for (long at = 0;; at += step) {
    SCOPED_TRACE(at);
    std::filesystem::remove_all(parts_);
    std::filesystem::remove(output_);
    interrupt(2, "warm-up");
    *already = false;
    first_failure = at;
    bool failed = false;
    try {
      finalize_parts(parts_, output_, false);
    } catch (const Error&) {
      failed = true;
    }
    const bool met = *already;
    first_failure = kNever;
    // The message may blame the file: HDF5 does not tell one failure from a file that asks too
    // much.
    if (failed) finalize_parts(parts_, output_, false);
    const scalemark::Run got = read_run(output_);
    ASSERT_EQ(got.cases.size(), 3U);
    EXPECT_EQ(got.cases[1].status, Status::ok);
    EXPECT_FALSE(std::filesystem::exists(parts_.string() + ".damaged"));
    if (!met || HasFailure()) break;
  }
  failed_once = nullptr;
  munmap(already, 4096);
}

constexpr store::SandboxLimits kLimits = {
    .memory = std::uint64_t{128} << 20, .cpu_seconds = 5, .sent = 1 << 20, .silent_seconds = 5};

std::string outcome(const std::function<void()>& child) {
  try {
    store::run_apart(
        kLimits, [&](const store::SendBytes&) { child(); },
        [](const store::ReceiveBytes& receive) {
          char byte = 0;
          receive({&byte, 1});
        });
  } catch (const NotRead& error) {
    return std::string("not read: ") + error.what();
  } catch (const InputError& error) {
    return std::string("refused: ") + error.what();
  }
  return "read";
}

void take(std::size_t mib) {
  std::string block(mib << 20, 'x');
  if (block[block.size() / 2] != 'x') std::abort();
}

TEST_F(LackingMemory, TheLimitAndWhatTheMachineGivesAreToldApart) {
  EXPECT_EQ(outcome([] { take(200); }), "refused: needs more than 128 MiB of memory");
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit small = {pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (24 << 20),
                        before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  const std::string text = outcome([] { take(64); });
  setrlimit(RLIMIT_AS, &before);
  EXPECT_THAT(text, HasSubstr("not read: there is not enough memory to read it"));
}

TEST_F(LackingMemory, AKilledReaderSaysNothingAboutTheFile) {
  EXPECT_THAT(outcome([] { std::raise(SIGKILL); }),
              HasSubstr("not read: the process that read it was killed"));
}

TEST_F(LackingMemory, SoDoesOneThatCannotBeStarted) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string text = outcome([] {});
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(text, HasSubstr("not read: no pipe to a process that reads it: Too many open files"));
}

}  // namespace
}  // namespace scalemark
