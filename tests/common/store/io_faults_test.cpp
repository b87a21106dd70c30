// SPDX-License-Identifier: Apache-2.0
// Each call that reads or changes a file of a run fails or is the last one of the process, and the
// machine loses its power after each: what was called finished is there, and the run can be resumed
// to its whole result.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/result/sweeps.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/lock.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/writer.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/file_calls.hpp"
#include "tests/common/store/power_loss.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/trials.hpp"

namespace scalemark {
namespace {

using test::example_case;
using test::example_run;
using test::Fault;
using test::Unsynced;

constexpr std::size_t kCases = 5;

/// Cases that the writer called finished, each with its number of sweeps.
using Safe = std::map<std::size_t, int>;
using NoteSafe = std::function<void(std::size_t index, int sweeps)>;

/// How a run is written.
struct Scenario {
  const char* name;
  int sweeps;               ///< 1: each case at once
  bool replace;             ///< there is an older result, and parts of another run
  bool merge_only = false;  ///< all cases stand in parts: only `finalize` is left
  bool in_pieces = false;   ///< HDF5 reads and writes piece by piece, as large files
};

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

class Faults : public ::testing::TestWithParam<Scenario> {
 protected:
  void SetUp() override {
    if (GetParam().in_pieces) store::h5::whole_file_limits() = {.read = 0, .write = 0};
  }
  void TearDown() override { store::h5::whole_file_limits() = {}; }

  static std::filesystem::path output_in(const std::filesystem::path& folder) {
    return folder / "a.h5";
  }
  static WriterOptions options(const std::filesystem::path& output, bool resume) {
    return {.output = output, .force = GetParam().replace && !resume, .resume = resume, .batch = 2};
  }

  /// Writes what is not finished yet, case by case in each sweep.
  static void write_cases(FileSink& sink, const NoteSafe& note) {
    const int sweeps = GetParam().sweeps;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::size_t index = 0; index < kCases; ++index) {
        const auto before = sink.finished().find(index);
        if (before != sink.finished().end() && before->second.sweeps > sweep) continue;
        CaseResult one = example_case(index);
        sink.started(one);
        if (index == 1) sink.save(one, {.shared = "all", .own = {"rank 0", "rank 1"}});
        if (sweeps == 1) {
          sink.add(one);
        } else {
          mark_sweep(one, sweep, sweeps);
          sink.keep(one);
        }
        note(index, sweep + 1);
      }
    }
  }

  static void write_run(const std::filesystem::path& output, bool resume, const NoteSafe& note,
                        const std::function<void(const Safe&)>& look = {}) {
    FileSink sink(options(output, resume));
    sink.begin(example_run(kCases));
    if (look) {
      Safe found;
      for (const auto& [index, done] : sink.finished()) found[index] = done.sweeps;
      look(found);
    }
    write_cases(sink, note);
    sink.end(example_run(kCases));
  }

  /// What stood there before.
  static void prepare(const std::filesystem::path& folder) {
    if (GetParam().replace) {
      scalemark::Run older = example_run(1);
      older.uuid = "older";
      older.cases = {example_case(0)};
      test::write_run(output_in(folder), older);
      older.uuid = "begun";
      FileSink begun({.output = output_in(folder), .force = true});
      begun.begin(older);
      begun.add(example_case(0));
      test::write_run(folder / "b.h5", older);
      std::filesystem::rename(folder / "b.h5", output_in(folder));
    }
    if (GetParam().merge_only) {
      FileSink sink(options(output_in(folder), false));
      sink.begin(example_run(kCases));
      write_cases(sink, [](std::size_t, int) {});
    }
  }

  static void act(const std::filesystem::path& folder, const NoteSafe& note) {
    if (GetParam().merge_only) {
      finalize_parts(store::parts_of(output_in(folder)), output_in(folder), false);
    } else {
      write_run(output_in(folder), false, note);
    }
  }

  static void expect_whole(const std::filesystem::path& output) {
    const scalemark::Run got = read_run(output);
    EXPECT_TRUE(got.complete);
    EXPECT_EQ(got.uuid, example_run().uuid);
    ASSERT_EQ(got.cases.size(), kCases);
    for (std::size_t i = 0; i < kCases; ++i) {
      const CaseResult &one = got.cases[i], want = example_case(i);
      if (GetParam().sweeps == 1) {
        test::expect_equal(one, want);
        continue;
      }
      EXPECT_EQ(one.status, want.status);
      EXPECT_EQ(sweeps_of(one), GetParam().sweeps);
      const Samples &samples = one.find("latency")->samples, once = want.find("latency")->samples;
      ASSERT_EQ(samples.iterations, once.iterations * static_cast<std::size_t>(GetParam().sweeps));
      EXPECT_EQ(samples.value(1, samples.iterations - 1), once.value(1, once.iterations - 1));
    }
  }

  /// Goes on as a user would, and looks whether anything is missing.
  static void expect_recovery(const std::filesystem::path& folder, Safe safe) {
    for (std::size_t i = 0; GetParam().merge_only && i < kCases; ++i) safe[i] = 1;
    const std::filesystem::path output = output_in(folder), parts = store::parts_of(output);
    const bool begun = std::filesystem::exists(parts / store::kMetaName);
    if (!begun && std::filesystem::exists(output) && read_run(output).uuid == example_run().uuid)
      return expect_whole(output);
    if (!begun) {
      EXPECT_TRUE(safe.empty()) << "there are no parts";
      return;
    }
    if (store::read_meta(parts).uuid != example_run().uuid) {
      EXPECT_TRUE(safe.empty()) << "there are the parts of the older run";
      return;
    }
    const auto expect_safe = [&](const Safe& found) {
      for (const auto& [index, sweeps] : safe) {
        ASSERT_TRUE(found.contains(index)) << index;
        EXPECT_GE(found.at(index), sweeps) << index;
      }
    };
    write_run(
        output, true, [](std::size_t, int) {}, expect_safe);
    expect_whole(output);
    EXPECT_FALSE(std::filesystem::exists(parts));
  }
};

/// How a child that ran act() ended, and what it had called finished.
struct Outcome {
  int status = 0;
  Safe safe;
  long calls = 0;
};

class IoFaults : public Faults {
 protected:
  struct Shared {
    long calls;
    int sweeps[kCases];
  };

  /// Runs act() in a child in which the n-th call meets `fault`.
  static Outcome act_apart(const std::filesystem::path& folder, Fault fault, long n) {
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* shared = static_cast<Shared*>(memory);
    *shared = {};
    const pid_t child = fork();
    if (child == 0) _exit(act_with_fault(folder, fault, n, shared));
    Outcome outcome;
    EXPECT_EQ(waitpid(child, &outcome.status, 0), child);
    outcome.calls = shared->calls;
    for (std::size_t i = 0; i < kCases; ++i) {
      if (shared->sweeps[i] > 0) outcome.safe[i] = shared->sweeps[i];
    }
    munmap(memory, sizeof(Shared));
    return outcome;
  }

  /// 0: it said that all is well, 1: it said what is wrong.
  static int act_with_fault(const std::filesystem::path& folder, Fault fault, long n,
                            Shared* shared) {
    int code = 0;
    if (std::freopen("/dev/null", "w", stderr) == nullptr) return 2;  // warnings are expected
    test::plan_fault(folder.string(), fault, n);
    try {
      act(folder, [&](std::size_t index, int sweeps) { shared->sweeps[index] = sweeps; });
    } catch (const std::exception&) {
      code = 1;
    }
    shared->calls = test::counted_calls();
    test::end_faults();
    return code;
  }

  static void try_each_call(Fault fault) {
    long n = 0, told = 0, kept_quiet = 0;
    const long step = GetParam().in_pieces ? test::trials(2003, 7) : test::trials(107, 1);
    for (;; n += step) {
      SCOPED_TRACE("call " + std::to_string(n));
      const test::TempDir folder;
      prepare(folder.path());
      const Outcome outcome = act_apart(folder.path(), fault, n);
      const bool killed = WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGKILL;
      const bool reached = killed || n < outcome.calls;
      ASSERT_TRUE(fault == Fault::kills || !killed);
      ASSERT_TRUE(killed || WIFEXITED(outcome.status)) << "signal " << WTERMSIG(outcome.status);
      if (!killed && WEXITSTATUS(outcome.status) == 0) {
        expect_whole(output_in(folder.path()));
        ++kept_quiet;
      } else {
        ++told;
        expect_recovery(folder.path(), outcome.safe);
      }
      if (HasFailure() || !reached) break;
    }
    printf("%s: up to call %ld, %ld ended the run, %ld did not matter\n", GetParam().name, n, told,
           kept_quiet);
    EXPECT_GT(n, 60) << "so few calls: are they seen at all?";
    EXPECT_GT(told, 0);
  }
};

TEST_P(IoFaults, AFailedCallLosesNothing) { try_each_call(Fault::fails); }
TEST_P(IoFaults, AFullDiskLosesNothing) { try_each_call(Fault::full); }
TEST_P(IoFaults, AKillLosesNothing) { try_each_call(Fault::kills); }

/// 0: listed, 1: it said that it cannot, else it crashed.
int list_apart(const std::filesystem::path& folder, const std::filesystem::path& file, long n) {
  const pid_t child = fork();
  if (child == 0) {
    test::plan_fault(folder.string(), Fault::fails, n);
    try {
      const store::h5::Id opened = store::h5::open_file(file);
      _exit(store::h5::members(store::h5::open_group(opened.get(), "cases").get()).size() == 400
                ? 0
                : 2);
    } catch (const std::exception&) {
      _exit(1);
    }
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "call " << n << ": signal " << WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(IoFaultsInGroups, AReadThatFailsWhileMembersAreListed) {
  const test::TempDir folder;
  const std::filesystem::path file = folder.path() / "a.h5";
  {
    const store::h5::Id made = store::h5::create_file(file);
    const store::h5::Id cases = store::h5::create_group(made.get(), "cases");
    for (int i = 0; i < 400; ++i)
      store::h5::create_group(cases.get(), "a case with a long name, number " + std::to_string(i));
  }
  store::h5::whole_file_limits() = {.read = 0, .write = 0};
  long n = 0, told = 0;
  int code = 1;
  for (; code != 0 && n < 1000 && !HasFailure(); ++n) {
    code = list_apart(folder.path(), file, n);
    EXPECT_LE(code, 1);
    told += code;
  }
  store::h5::whole_file_limits() = {};
  EXPECT_EQ(code, 0);
  EXPECT_GT(told, 10) << "so few calls: are they seen at all?";
}

class PowerLoss : public Faults {
 protected:
  static Safe safe_before(const std::vector<test::FileCall>& calls, std::size_t count) {
    Safe safe;
    for (const std::string& remark : test::marks_before(calls, count)) {
      const std::size_t colon = remark.find(':');
      safe[std::stoul(remark)] = std::stoi(remark.substr(colon + 1));
    }
    return safe;
  }

  /// The machine was started again, which took longer than a lock is believed.
  static void restart(const std::filesystem::path& folder) {
    const std::filesystem::path lock = store::parts_of(output_in(folder)) / store::kLockName;
    std::ifstream file(lock);
    std::string host, process, start, boot, rest;
    if (!(file >> host >> process >> start >> boot)) return;
    std::getline(file, rest);
    std::ofstream(lock) << host << " " << process << " " << start << " earlier" << rest;
    std::filesystem::last_write_time(
        lock, std::filesystem::file_time_type::clock::now() - 2 * store::kLease);
  }

  /// All calls of a run, behind those that made what stood there before.
  struct Recorded {
    std::filesystem::path root;
    std::size_t prepared = 0;  ///< the first calls, whose changes are on the disk
    std::vector<test::FileCall> calls;
  };

  static Recorded record() {
    const test::TempDir folder;
    test::begin_recording(folder.path().string());
    prepare(folder.path());
    std::vector<test::FileCall> calls = test::end_recording();
    const std::size_t prepared = calls.size();
    test::begin_recording(folder.path().string());
    act(folder.path(), [](std::size_t index, int sweeps) {
      test::mark(std::to_string(index) + ":" + std::to_string(sweeps));
    });
    std::ranges::move(test::end_recording(), std::back_inserter(calls));
    return {folder.path(), prepared, std::move(calls)};
  }
};

TEST_P(PowerLoss, KeepsWhatWasFinished) {
  const auto [root, prepared, calls] = record();
  ASSERT_GT(calls.size(), 60U);
  const std::size_t step = GetParam().in_pieces ? test::trials(1009U, 5U) : test::trials(83U, 1U);
  for (std::size_t count = prepared; count <= calls.size(); count += step) {
    for (const Unsynced what : {Unsynced::data_lost, Unsynced::names_lost, Unsynced::any}) {
      for (std::uint64_t seed = 0; seed < (what == Unsynced::any ? test::trials(1U, 3U) : 1);
           ++seed) {
        SCOPED_TRACE("call " + std::to_string(count) + ", lost " +
                     std::to_string(static_cast<int>(what)) + ", seed " + std::to_string(seed));
        const test::TempDir left;
        test::lose_power(calls, {.durable = prepared, .count = count}, what,
                         seed * 1'000'003 + count, root, left.path());
        restart(left.path());
        expect_recovery(left.path(), safe_before(calls, count));
        if (HasFailure()) return;
      }
    }
  }
}

const Scenario kScenarios[] = {{"new", 1, false},
                               {"replace", 1, true},
                               {"sweeps", 2, false},
                               {"finalize", 1, false, true},
                               {"large", 1, false, false, true},
                               {"finalize_large", 1, false, true, true}};
std::string name_of(const ::testing::TestParamInfo<Scenario>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Each, IoFaults, ::testing::ValuesIn(kScenarios), name_of);
INSTANTIATE_TEST_SUITE_P(Each, PowerLoss, ::testing::ValuesIn(kScenarios), name_of);

}  // namespace
}  // namespace scalemark
