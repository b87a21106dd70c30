// SPDX-License-Identifier: Apache-2.0
// What a child that misbehaves leads to.
#include "common/store/untrusted/sandbox.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/store/reader.hpp"
#include "common/store/untrusted/system_calls.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/example.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::store {
namespace {

using ::testing::HasSubstr;

constexpr SandboxLimits kLimits = {
    .memory = std::uint64_t{128} << 20, .cpu_seconds = 1, .sent = 1 << 20, .silent_seconds = 5};

/// What reading ends with when the child does that: with an error of the type Failure.
template <class Failure = InputError>
std::string outcome(const std::function<void(const SendBytes&)>& produce,
                    const SandboxLimits& limits = kLimits) {
  try {
    run_apart(limits, produce, [](const ReceiveBytes& receive) {
      receive_run(receive, true,
                  {.header = [](const Run&) {}, .one_case = [](const CaseResult&) {}});
    });
  } catch (const Failure& error) {
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    EXPECT_EQ(errno, ECHILD);
    return error.what();
  }
  return "read";
}

/// Computes until this process has used that much CPU time.
void compute(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) continue;
}

TEST(Sandbox, HandsBackWhatTheChildSends) {
  scalemark::Run sent = test::example_run(2), arrived;
  sent.cases = {test::example_case(0), test::example_case(1)};
  const auto produce = [&](const SendBytes& send) {
    send_header(send, sent);
    for (const CaseResult& one : sent.cases) send_case(send, one);
    send_end(send);
  };
  run_apart(kLimits, produce, [&](const ReceiveBytes& receive) {
    receive_run(receive, true,
                {.header = [&](scalemark::Run run) { arrived = std::move(run); },
                 .one_case = [&](CaseResult one) { arrived.cases.push_back(std::move(one)); }});
  });
  test::expect_equal(arrived, sent);
}

TEST(Sandbox, ACrashIsOneLine) {
  EXPECT_THAT(outcome([](const SendBytes&) { std::raise(SIGSEGV); }),
              HasSubstr("crashed (signal 11)"));
  EXPECT_THAT(outcome([](const SendBytes&) { std::abort(); }), HasSubstr("crashed (signal 6)"));
  EXPECT_THAT(outcome([](const SendBytes&) { _exit(77); }), HasSubstr("code 77"));
  EXPECT_THAT(outcome([](const SendBytes&) {}), HasSubstr("code 0"));
}

TEST(Sandbox, AnErrorIsItsLine) {
  EXPECT_EQ(outcome([](const SendBytes&) { throw InputError("it is \x1B[31m bad"); }),
            "it is ?[31m bad");
  EXPECT_THAT(outcome([](const SendBytes&) { throw std::bad_alloc(); }), HasSubstr("128 MiB"));
}

TEST(Sandbox, TimeIsLimited) {
  EXPECT_THAT(outcome([](const SendBytes&) {
                volatile bool forever = true;
                while (forever) continue;
              }),
              HasSubstr("more than 1 s of CPU time"));
}

TEST(Sandbox, MemoryIsLimited) {
  const std::string text = outcome<Error>([](const SendBytes&) {
    std::vector<std::vector<char>> all;
    for (int i = 0; i < 4096; ++i) all.emplace_back(std::size_t{1} << 20, 'x');
  });
  // A sanitizer's allocator ends the process where others throw, or waits for itself.
  EXPECT_THAT(text, ::testing::AnyOf(HasSubstr("more than 128 MiB"), HasSubstr("could not be read"),
                                     HasSubstr("reading stalled")));
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(usage.ru_maxrss, 512 * 1024);
}

TEST(Sandbox, AChildThatSleepsIsGivenUp) {
  EXPECT_EQ(outcome<NotRead>([](const SendBytes&) { pause(); }),
            "reading stalled: no data for 5 s");
}

/// Silence is no stall as long as the child computes: on a busy machine it gets few of the cores.
TEST(Sandbox, AChildThatComputesIsWaitedFor) {
  SandboxLimits limits = kLimits;
  limits.cpu_seconds = 20;
  limits.silent_seconds = 1;
  EXPECT_EQ(outcome(
                [](const SendBytes&) {
                  compute(2.5);
                  throw InputError("computed to its end");
                },
                limits),
            "computed to its end");
}

TEST(Sandbox, WritesNoFilesAndPrintsNothing) {
  const test::TempDir folder;
  ::testing::internal::CaptureStderr();
  const std::string text = outcome([&](const SendBytes&) {
    std::fprintf(stderr, "what a library says\n");
    std::fflush(stderr);
    std::ofstream(folder / "made") << "x" << std::flush;
    throw InputError("at the end");
  });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  if (filters_system_calls()) {
    EXPECT_EQ(text, "at the end");
    EXPECT_FALSE(std::filesystem::exists(folder / "made"));
  } else {
    EXPECT_THAT(text, HasSubstr("signal 25"));  // SIGXFSZ
    EXPECT_TRUE(std::filesystem::is_empty(folder / "made"));
  }
}

/// What a file that takes over the child could try. Each line names what succeeded.
TEST(Sandbox, TheChildCanReadAndNothingElse) {
  if (!filters_system_calls())
    GTEST_SKIP() << "this build has sanitizers, or another processor; the release build tests it";
  const test::TempDir folder;
  const std::string here = folder / "here";
  std::ofstream(here) << "text";
  const int inherited = open(here.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(inherited, 0);
  const std::string text = outcome([&](const SendBytes&) {
    std::string done;
    const auto attempt = [&](const char* what, long result, int refusal = EPERM) {
      if (result >= 0 || errno != refusal) done += fmt::format("{} ", what);
    };
    attempt("open to write", open(here.c_str(), O_WRONLY));
    attempt("open to append", open(here.c_str(), O_RDWR | O_APPEND));
    attempt("create", open((folder / "new").c_str(), O_RDONLY | O_CREAT, 0600));
    attempt("empty a file", open(here.c_str(), O_RDONLY | O_TRUNC));
    attempt("write to an inherited file", write(inherited, "x", 1));
    attempt("read an inherited file", lseek(inherited, 0, SEEK_SET), EBADF);
    attempt("remove", unlink(here.c_str()));
    attempt("rename", rename(here.c_str(), (folder / "there").c_str()));
    attempt("open a socket", socket(AF_INET, SOCK_STREAM, 0));
    attempt("start a process", fork());
    attempt("start a program", execl("/bin/true", "true", nullptr));
    attempt("signal the parent", kill(getppid(), 0));
    const rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    attempt("raise a limit", setrlimit(RLIMIT_CPU, &more));
    std::string content;
    std::getline(std::ifstream(here), content);
    throw InputError(fmt::format("read '{}', could: {}", content, done));
  });
  close(inherited);
  EXPECT_EQ(text, "read 'text', could: ");
}

TEST(Sandbox, NoMoreComesBackThanTheLimit) {
  EXPECT_THAT(outcome([](const SendBytes& send) {
                scalemark::Run run = test::example_run(1);
                run.config.assign(2 << 20, 'x');
                send_header(send, run);
              }),
              HasSubstr("more was read than the file can hold"));
}

TEST(Sandbox, LimitsFollowTheSizeOfTheFile) {
  EXPECT_LT(limits_for(1 << 20).memory, std::uint64_t{512} << 20);
  EXPECT_GT(limits_for(std::uint64_t{1} << 40).memory, std::uint64_t{3} << 30);
  EXPECT_LT(limits_for(UINT64_MAX).memory, std::uint64_t{4} << 30);
}

}  // namespace
}  // namespace scalemark::store
