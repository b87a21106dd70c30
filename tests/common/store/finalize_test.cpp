// SPDX-License-Identifier: Apache-2.0
// The journal, rows of cases that were interrupted, and finalize.
#include <fstream>
#include <iterator>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/store/journal.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/segments.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/interrupted.hpp"
#include "tests/support/trials.hpp"

namespace scalemark {
namespace {

using test::example_case;
using test::example_run;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Finalize = test::Interrupted;

TEST_F(Finalize, MergesWhatIsFinishedAndNamesWhatWasNot) {
  interrupt(2, "warm-up");
  finalize_parts(parts_, output_, false);
  EXPECT_FALSE(std::filesystem::exists(parts_));
  const auto run = read_run(output_);
  ASSERT_EQ(run.cases.size(), 3U);
  test::expect_equal(run.cases[0], example_case(0));
  test::expect_equal(run.cases[1], example_case(1));
  EXPECT_EQ(run.cases[2].status, Status::failed);
  EXPECT_EQ(run.cases[2].reason, "the run ended during phase 'warm-up' (1 try)");
  EXPECT_EQ(run.cases[2].key, example_case(2).key);
  EXPECT_EQ(run.exit_reason, "interrupted");
  EXPECT_FALSE(run.complete);
}

/// The heap, to which dimension scales refer, has no checksum: HDF5 crashes where it follows
/// damaged references. What lies there is written anew.
TEST_F(Finalize, ADamagedHeapIsNotFollowed) {
  interrupt(2, "warm-up");
  for (unsigned seed = 0; seed < test::trials(10U, 40U); ++seed) {
    const std::filesystem::path parts = folder_ / "damaged.parts", output = folder_ / "damaged.h5";
    std::filesystem::remove_all(parts);
    std::filesystem::copy(parts_, parts);
    std::mt19937 random(seed);
    std::size_t damaged = 0;
    for (const auto& entry : std::filesystem::directory_iterator(parts)) {
      if (!entry.path().filename().string().starts_with('c')) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::string bytes{std::istreambuf_iterator<char>(file), {}};
      const std::size_t heap = bytes.find("GCOL");
      if (heap == std::string::npos) continue;
      ++damaged;
      for (int i = 0; i < 4; ++i) bytes.at(heap + 8 + random() % 504) = static_cast<char>(random());
      std::ofstream(entry.path(), std::ios::binary) << bytes;
    }
    ASSERT_EQ(damaged, 2U);
    finalize_parts(parts, output, true);
    const auto run = read_run(output);
    ASSERT_EQ(run.cases.size(), 3U);
    for (std::size_t i = 0; i < 2; ++i) test::expect_equal(run.cases[i], example_case(i));
  }
}

TEST_F(Finalize, ADamagedStateIsSetAside) {
  interrupt(2);
  std::ofstream(parts_ / "c000002.state") << "no state";
  finalize_parts(parts_, output_, false);
  EXPECT_EQ(read_run(output_).cases.size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(parts_.string() + ".damaged/c000002.state"));
}

/// Child processes read the parts of a run to be resumed before MPI starts, and without the lock.
TEST_F(Finalize, PartsThatChangedSinceTheyWereReadAreNotResumed) {
  interrupt(2);
  WriterOptions resumed = options(true);
  resumed.inspection = inspect_for_resume(output_);
  const std::filesystem::path part = store::segment_path(parts_, 0), other = folder_ / "other.h5";
  std::filesystem::copy(part, other);
  std::filesystem::rename(other, part);
  EXPECT_THAT(test::message<Error>([&] { FileSink(resumed).begin(example_run()); }),
              HasSubstr("changed while it was being read: start again"));
  resumed.inspection = inspect_for_resume(output_);
  EXPECT_NO_THROW(FileSink(resumed).begin(example_run()));
}

TEST_F(Finalize, NeverReplacesAResultByFewerCasesOfTheSameRun) {
  {
    FileSink sink(options());
    sink.begin(example_run());
    for (std::size_t i = 0; i < 3; ++i) finish(sink, i);
  }
  const std::filesystem::path fewer = folder_ / "fewer.h5.parts";
  std::filesystem::copy(parts_, fewer);
  std::filesystem::remove(store::segment_path(fewer, 1));
  finalize_parts(parts_, output_, false);
  EXPECT_THAT(test::message<UsageError>([&] { finalize_parts(fewer, output_, true); }),
              AllOf(HasSubstr("holds 3 measured cases"), HasSubstr("nothing was replaced")));
  EXPECT_EQ(read_run(output_).cases.size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(fewer / store::kMetaName)) << "the parts stay";
  std::ofstream(output_, std::ios::trunc) << "damaged";
  finalize_parts(fewer, output_, true);
  const auto run = read_run(output_);
  ASSERT_EQ(run.cases.size(), 3U) << "what cannot be read is replaced";
  EXPECT_EQ(run.cases[1].status, Status::failed) << "begun, by the journal, and lost";
}

/// A process that was killed while it removed the parts leaves some under another name.
TEST_F(Finalize, PartsThatWereBeingRemovedAreNotFound) {
  interrupt(2);
  const std::filesystem::path removed = parts_.string() + ".removed";
  std::filesystem::copy(parts_, removed);
  std::filesystem::remove(removed / store::kMetaName);
  finalize_parts(parts_, output_, false);
  EXPECT_FALSE(std::filesystem::exists(parts_));
  EXPECT_FALSE(std::filesystem::exists(removed));
  EXPECT_EQ(read_run(output_).cases.size(), 3U);
}

TEST_F(Finalize, ARunKilledBehindItsLastCaseIsComplete) {
  {
    FileSink sink(options());
    sink.begin(example_run());
    for (std::size_t i = 0; i < 3; ++i) finish(sink, i);
  }
  finalize_parts(parts_, output_, false);
  EXPECT_TRUE(read_run(output_).complete);
}

TEST_F(Finalize, RefusesAnExistingOutputAndWhatIsNoParts) {
  interrupt(1);
  std::ofstream(output_) << "mine";
  EXPECT_THAT(test::message<UsageError>([&] { finalize_parts(parts_, output_, false); }),
              AllOf(HasSubstr(output_.string()), HasSubstr("--force")));
  EXPECT_EQ(std::filesystem::file_size(output_), 4U);
  EXPECT_THAT(
      test::message<InputError>([&] { finalize_parts(folder_ / "none", folder_ / "b.h5", false); }),
      HasSubstr("none"));
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_THAT(test::message<InputError>(
                  [&] { finalize_parts(folder_ / "empty", folder_ / "b.h5", false); }),
              HasSubstr("meta.h5"));
  // Whoever reads the old file meanwhile keeps it whole: it is not written into.
  std::filesystem::create_hard_link(output_, folder_ / "old");
  finalize_parts(parts_, output_, true);
  EXPECT_EQ(read_run(output_).cases.size(), 2U);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "old"), 4U);
}

/// Damages the segment's samples, which only their digest shows.
void damage_samples(const std::filesystem::path& segment) {
  namespace h5 = store::h5;
  const h5::Id file(H5Fopen(segment.c_str(), H5F_ACC_RDWR, h5::file_access().get()), H5Fclose, "");
  const h5::Id samples(H5Dopen2(file.get(), "/cases/000000/metrics/latency/samples", H5P_DEFAULT),
                       H5Dclose, "");
  const std::vector<std::uint64_t> values(10, 7);
  ASSERT_GE(
      H5Dwrite(samples.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
}

TEST_F(Finalize, ADamagedSegmentIsSetAsideAndBlocksNoOther) {
  interrupt(2);
  std::filesystem::resize_file(parts_ / "c000001.h5", 1000);
  damage_samples(parts_ / "c000000.h5");
  const auto seen = read_run(parts_);
  ASSERT_EQ(seen.cases.size(), 3U);
  EXPECT_THAT(seen.cases[0].reason, AllOf(HasSubstr("part is damaged"), HasSubstr("c000000.h5")));
  EXPECT_THAT(seen.cases[1].reason, AllOf(HasSubstr("part is damaged"), HasSubstr("c000001.h5")));
  EXPECT_EQ(seen.cases[1].key, example_case(1).key);
  finalize_parts(parts_, output_, false);
  const auto run = read_run(output_);
  ASSERT_EQ(run.cases.size(), 3U);
  EXPECT_FALSE(run.complete);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(run.cases[i].status, Status::failed);
    EXPECT_THAT(run.cases[i].reason, HasSubstr("part is damaged"));
  }
  const std::filesystem::path kept = parts_.string() + ".damaged";
  EXPECT_EQ(std::filesystem::file_size(kept / "c000001.h5"), 1000U);
  EXPECT_TRUE(std::filesystem::exists(kept / "c000000.h5"));
}

TEST_F(Finalize, TheGoodCasesOfADamagedBatchStay) {
  interrupt(2);
  store::compact_segments(parts_);
  damage_samples(parts_ / "b000001.h5");
  finalize_parts(parts_, output_, false);
  const auto run = read_run(output_);
  ASSERT_EQ(run.cases.size(), 3U);
  EXPECT_THAT(run.cases[0].reason, HasSubstr("part is damaged"));
  test::expect_equal(run.cases[1], example_case(1));
}

TEST_F(Finalize, ADamagedSegmentIsNotMadePartOfABatch) {
  interrupt(2);
  damage_samples(parts_ / "c000000.h5");
  EXPECT_THAT(test::message<Error>([&] { store::compact_segments(parts_); }),
              HasSubstr("do not match their digest"));
  EXPECT_TRUE(std::filesystem::exists(parts_ / "c000001.h5"));
  EXPECT_FALSE(std::filesystem::exists(parts_ / "b000001.h5"));
}

TEST_F(Finalize, ABatchThatCannotBeOpenedBlocksNoOther) {
  interrupt(1);
  store::compact_segments(parts_);
  {
    FileSink sink(options(true));
    sink.begin(example_run());
    finish(sink, 1);
    begin_case(sink, 2, "warm-up");
  }
  std::filesystem::resize_file(parts_ / "b000001.h5", 1000);
  const auto seen = read_run(parts_);
  ASSERT_EQ(seen.cases.size(), 3U);
  EXPECT_EQ(seen.cases[0].key, example_case(0).key);
  for (const std::size_t unknown : {std::size_t{0}, std::size_t{2}}) {
    EXPECT_EQ(seen.cases[unknown].status, Status::failed);
    EXPECT_THAT(seen.cases[unknown].reason,
                AllOf(HasSubstr("may have been measured"), HasSubstr("b000001.h5")));
  }
  test::expect_equal(seen.cases[1], example_case(1));
}

TEST_F(Finalize, ASegmentMustHoldTheCaseOfItsName) {
  interrupt(2);
  std::filesystem::copy(parts_ / "c000000.h5", parts_ / "c000002.h5");
  EXPECT_THAT(read_run(parts_).cases.at(2).reason,
              AllOf(HasSubstr("part is damaged"), HasSubstr("c000002.h5")));
}

class JournalFile : public ::testing::Test {
 protected:
  void append(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }
  test::TempDir folder_;
  std::filesystem::path path_ = folder_ / "journal";
};

TEST_F(JournalFile, KeepsTriesPhaseAndPrediction) {
  {
    store::Journal journal(path_);
    CaseResult one = example_case(4);
    journal.started(one);
    one.phase = "measure";
    journal.phase(one);
    journal.started(one);
  }
  const auto begun = store::read_journal(path_);
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun.at(4).tries, 2);
  EXPECT_EQ(begun.at(4).planned.phase, "start");
  EXPECT_EQ(begun.at(4).planned.key, example_case(4).key);
  EXPECT_EQ(begun.at(4).planned.predicted_memory, 4096U);
}

TEST_F(JournalFile, ACutLineSwallowsNothing) {
  const CaseResult one = example_case(0), two = example_case(1);
  { store::Journal(path_).started(one); }
  const auto whole = std::filesystem::file_size(path_);
  for (const std::uintmax_t kept : {whole - 1, whole / 2, std::uintmax_t{1}}) {
    std::filesystem::resize_file(path_, kept);
    { store::Journal(path_).started(two); }
    const auto begun = store::read_journal(path_);
    EXPECT_TRUE(begun.contains(1)) << kept;
    std::filesystem::remove(path_);
    { store::Journal(path_).started(one); }
  }
}

TEST_F(JournalFile, ForeignLinesArePassedOver) {
  append(
      "[1]\nnull\n{\"started\": -1}\n{\"started\": \"x\"}\n{\"case\": 7, \"phase\": "
      "\"x\"}\n{}\n\xFF\xFE\n");
  append(std::string(100'000, '[') + "\n");
  { store::Journal(path_).started(example_case(0)); }
  EXPECT_EQ(store::read_journal(path_).size(), 1U);
}

TEST_F(JournalFile, ThereMayBeNone) { EXPECT_TRUE(store::read_journal(folder_ / "none").empty()); }

store::Begun begun_with(std::uint64_t predicted, std::uint64_t available) {
  store::Begun begun;
  begun.planned = example_case(0);
  begun.planned.predicted_memory = predicted;
  begun.planned.phase = "measure";
  begun.tries = 2;
  begun.memory = {"boot", 5, available};
  return begun;
}

TEST_F(JournalFile, KnowsWhyARankEndedTheJob) {
  CaseResult lost = example_case(0);
  {
    store::Journal journal(path_);
    journal.started(lost);
    lost.status = Status::oom;
    lost.reason = "rank 1: no memory\x1b[31m";
    store::Journal(path_).lost(lost);  // another process
  }
  const store::Begun begun = store::read_journal(path_).at(0);
  const CaseResult row = store::interrupted_case(example_run(), begun, {});
  EXPECT_EQ(row.status, Status::oom);
  EXPECT_EQ(row.reason, "rank 1: no memory?[31m; the run ended during phase 'start' (1 try)");
  { store::Journal(path_).started(lost); }
  EXPECT_EQ(store::interrupted_case(example_run(), store::read_journal(path_).at(0), {}).status,
            Status::failed)
      << "the next try may end otherwise";
  append("{\"lost\": 0}\n{\"lost\": 9, \"status\": \"oom\", \"reason\": \"x\"}\n");
  EXPECT_EQ(store::read_journal(path_).size(), 1U);
}

TEST(InterruptedCase, IsOutOfMemoryWhenThePredictionDidNotFitTheNode) {
  // Two ranks on the first node, one elsewhere: 1000 bytes are 500 a rank.
  auto run = example_run();
  run.ranks.push_back(run.ranks[0]);
  const store::MemoryState now{"boot", 5, 0};
  EXPECT_EQ(store::interrupted_case(run, begun_with(500, 1000), now).status, Status::failed);
  EXPECT_EQ(store::interrupted_case(run, begun_with(501, 1000), now).status, Status::oom);
  EXPECT_EQ(store::interrupted_case(run, begun_with(501, 0), now).status, Status::failed);
}

TEST(InterruptedCase, IsOutOfMemoryWhenTheKernelKilledMeanwhile) {
  const auto status = [](const store::MemoryState& now) {
    return store::interrupted_case(example_run(), begun_with(1, 1000), now).status;
  };
  EXPECT_EQ(status({"boot", 5, 0}), Status::failed);
  EXPECT_EQ(status({"boot", 6, 0}), Status::oom);
  EXPECT_EQ(status({"another boot", 6, 0}), Status::failed);
}

TEST(MemoryState, IsThatOfThisHost) {
  const store::MemoryState state = store::memory_state();
  EXPECT_EQ(state.boot.size(), 36U);
  EXPECT_GE(state.oom_kills, 0);
  EXPECT_GT(state.available, 1U << 20);
}

}  // namespace
}  // namespace scalemark
