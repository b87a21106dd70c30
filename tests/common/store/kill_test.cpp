// SPDX-License-Identifier: Apache-2.0
// kill -9 of a writer at random moments, and a disk that gets full: no finished case is lost.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

constexpr std::size_t kCases = 30;
/// So that a run makes batches several times.
constexpr std::size_t kSmallBatch = 7;

/// SCALEMARK_KILLS, or few.
int trials() {
  const char* given = std::getenv("SCALEMARK_KILLS");  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr ? 6 : std::stoi(given);
}

/// example_case() with an index of its own and samples that do not compress.
CaseResult large_case(std::size_t index, std::size_t iterations) {
  CaseResult result = test::example_case(index % 50);
  result.index = index;
  Samples& samples = result.metrics[2].samples;
  std::mt19937_64 generator(index);
  std::vector<double> values;
  for (std::size_t i = 0; i < iterations; ++i) {
    values.push_back(static_cast<double>(generator()));
  }
  samples.values = values;
  samples.iterations = iterations;
  return result;
}

Run large_run() {
  auto run = test::example_run(0);
  for (std::size_t i = 0; i < kCases; ++i) run.planned.push_back(large_case(i, 1).key);
  return run;
}

/// Runs `body` in a process of its own; `_exit` with what it returns.
pid_t start(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  int code = 99;
  try {
    code = body();
  } catch (const std::exception& error) {
    fprintf(stderr, "%s\n", error.what());
  }
  // exit(), not _exit(): HDF5 cleans up at the end of a process too.
  std::exit(code);
}

int wait_for(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

class Kill : public ::testing::Test {
 protected:
  /// Writes all cases, and a byte into the pipe when one is safe.
  int write_all(int pipe_end) const {
    FileSink sink({.output = output_, .force = true, .batch = kSmallBatch});
    sink.begin(large_run());
    for (std::size_t i = 0; i < kCases; ++i) {
      const CaseResult result = large_case(i, 500);
      sink.started(result);
      sink.add(result);
      if (write(pipe_end, "x", 1) != 1) return 98;
    }
    sink.end(large_run());
    return 0;
  }

  /// Lets the writer live for `delay` after it called `cases` safe, which makes the moment a matter
  /// of its progress however slow the disk is; returns how many cases it called safe.
  std::size_t kill_after(std::size_t cases, std::chrono::microseconds delay) const {
    int ends[2] = {};
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = start([&] { return write_all(ends[1]); });
    close(ends[1]);
    std::size_t safe = 0;
    char byte = 0;
    while (safe < cases && read(ends[0], &byte, 1) == 1) ++safe;
    std::this_thread::sleep_for(delay);
    kill(child, SIGKILL);
    wait_for(child);
    while (read(ends[0], &byte, 1) == 1) ++safe;
    close(ends[0]);
    return safe;
  }

  void check_kept(const scalemark::Run& run, std::size_t safe) const {
    std::size_t ok = 0;
    for (const CaseResult& result : run.cases) {
      if (result.status != Status::ok) continue;
      test::expect_equal(result, large_case(result.index, 500));
      ++ok;
    }
    EXPECT_GE(ok, safe);
  }

  test::TempDir folder_;
  std::filesystem::path output_ = folder_ / "a.h5", parts_ = folder_ / "a.h5.parts";
};

TEST_F(Kill, AtRandomMomentsLosesNoFinishedCase) {
  using std::chrono::microseconds;
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(wait_for(start([&] { return write_all(ends[1]); })), 0);
  const auto whole =
      std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begin);
  close(ends[0]);
  close(ends[1]);
  check_kept(read_run(output_), kCases);
  std::mt19937_64 generator(std::random_device{}());
  int interrupted = 0;
  for (int trial = 0; trial < trials(); ++trial) {
    SCOPED_TRACE(trial);
    std::filesystem::remove(output_);
    std::filesystem::remove_all(parts_);
    const auto delay = 2 * whole / kCases * static_cast<int>(generator() % 1000) / 1000;
    const std::size_t safe = kill_after(generator() % (kCases + 1), delay);
    if (std::filesystem::exists(output_)) {
      EXPECT_EQ(read_run(output_).cases.size(), kCases);
      continue;
    }
    ++interrupted;
    if (!std::filesystem::exists(parts_ / store::kMetaName)) {
      EXPECT_EQ(safe, 0U);
      continue;
    }
    check_kept(read_run(parts_), safe);
    finalize_parts(parts_, output_, false);
    EXPECT_FALSE(std::filesystem::exists(parts_));
    check_kept(read_run(output_), safe);
  }
  printf("%d of %d writers were killed before their end\n", interrupted, trials());
  EXPECT_GT(interrupted, trials() / 2);
}

// A limit on the size of a file shows like a full disk, and needs no disk of one's own.
class FullDisk : public Kill {
 protected:
  static void limit_files_to(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::exit(97);
  }
};

TEST_F(FullDisk, IsNoticedBeforeTheRun) {
  const pid_t child = start([&] {
    limit_files_to(1 << 20);
    FileSink sink({.output = output_});
    try {
      sink.begin(large_run());
    } catch (const UsageError&) {
      return 3;  // no other command line would do
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.find("--output") != std::string::npos &&
                     text.find("16384 KiB") != std::string::npos
                 ? 0
                 : 1;
    }
    return 2;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_FALSE(std::filesystem::exists(parts_));
}

TEST_F(FullDisk, LosesNoFinishedCase) {
  const pid_t child = start([&] {
    FileSink sink({.output = output_});
    sink.begin(large_run());
    for (std::size_t i = 0; i < 3; ++i) {
      sink.started(large_case(i, 500));
      sink.add(large_case(i, 500));
    }
    limit_files_to(256 << 10);
    try {
      sink.add(large_case(3, 100'000));
      return 1;
    } catch (const Error& error) {
      if (std::string(error.what()).find("c000003.h5") == std::string::npos) return 2;
    }
    // What fits can still be written.
    sink.add(large_case(4, 500));
    limit_files_to(32 << 10);
    try {
      sink.end(large_run());
      return 3;
    } catch (const Error& error) {
      return std::string(error.what()).find("scalemark finalize") == std::string::npos ? 4 : 0;
    }
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_FALSE(std::filesystem::exists(output_));
  check_kept(read_run(parts_), 4);
  for (const auto& entry : std::filesystem::directory_iterator(parts_)) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
  finalize_parts(parts_, output_, false);
  check_kept(read_run(output_), 4);
}

}  // namespace
}  // namespace scalemark
