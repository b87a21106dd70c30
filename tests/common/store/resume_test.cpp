// SPDX-License-Identifier: Apache-2.0
// Runs that were interrupted: resume, force, finalize, tries, and why a case died.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/state.hpp"
#include "common/store/writer.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/interrupted.hpp"
#include "tests/common/store/write_run.hpp"

namespace scalemark {
namespace {

using test::example_case;
using test::example_run;
using test::write_run;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;

using Resume = test::Interrupted;

TEST_F(Resume, GoesOnBehindTheFinishedCases) {
  interrupt(1);
  FileSink sink(options(true));
  auto second = example_run();
  second.uuid = "another launch";
  sink.begin(second);
  EXPECT_THAT(sink.finished(), ElementsAre(Pair(0, FinishedCase{Status::ok})));
  finish(sink, 1);
  finish(sink, 2);
  sink.end(second);
  auto whole = example_run();
  whole.cases = {example_case(0), example_case(1), example_case(2)};
  test::expect_equal(read_run(output_), whole);
  EXPECT_FALSE(std::filesystem::exists(parts_));
}

TEST_F(Resume, ACaseIsTriedThreeTimes) {
  interrupt(1, "warm-up");
  for (int attempt = 2; attempt <= 3; ++attempt) {
    FileSink sink(options(true));
    sink.begin(example_run());
    EXPECT_THAT(sink.finished(), ElementsAre(Pair(0, FinishedCase{Status::ok}))) << attempt;
    begin_case(sink, 1, "measure");
  }
  FileSink sink(options(true));
  sink.begin(example_run());
  EXPECT_THAT(sink.finished(), ElementsAre(Pair(0, FinishedCase{Status::ok}),
                                           Pair(1, FinishedCase{Status::failed})));
  finish(sink, 2);
  sink.end(example_run());
  const auto given_up = read_run(output_).cases.at(1);
  const CaseResult wanted = example_case(1);
  EXPECT_EQ(given_up.status, Status::failed);
  EXPECT_EQ(given_up.reason, "the run ended during phase 'measure' (3 tries)");
  EXPECT_EQ(given_up.phase, "measure");
  EXPECT_EQ(given_up.name, wanted.name);
  EXPECT_EQ(given_up.key, wanted.key);
  EXPECT_EQ(given_up.params, wanted.params);
  EXPECT_EQ(given_up.config_hash, wanted.config_hash);
}

const CaseState kState{std::string("sha\0red", 7), {"first", std::string(3'000'000, 'x'), ""}};

TEST_F(Resume, TheStateOfAnUnfinishedCaseIsKeptUntilItIsFinished) {
  interrupt(1);
  {
    FileSink sink(options(true));
    sink.begin(example_run());
    EXPECT_FALSE(sink.saved(example_case(1)).has_value());
    begin_case(sink, 1, "measure");
    sink.save(example_case(1), {"older", {"a", "b", "c"}});
    sink.save(example_case(1), kState);
  }
  FileSink sink(options(true));
  sink.begin(example_run());
  const auto state = sink.saved(example_case(1));
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->shared, kState.shared);
  EXPECT_EQ(state->own, kState.own);
  EXPECT_FALSE(sink.saved(example_case(2)).has_value());
  finish(sink, 1);
  EXPECT_FALSE(sink.saved(example_case(1)).has_value());
  finish(sink, 2);
  sink.end(example_run());
  EXPECT_FALSE(std::filesystem::exists(parts_));
}

TEST_F(Resume, AStateMayBeLargerThanADatasetThatIsRead) {
  interrupt(1);
  std::string large(store::kStatePiece + 5, 'a');
  large.front() = 'b';
  large.back() = 'c';
  const CaseState state{std::string(2 * store::kStatePiece, 'd'), {large, "e"}};
  FileSink sink(options(true));
  sink.begin(example_run());
  begin_case(sink, 1, "measure");
  sink.save(example_case(1), state);
  const auto read = sink.saved(example_case(1));
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->shared == state.shared && read->own == state.own) << "too long to print";
  const store::h5::Id file = store::h5::open_file(store::state_path(parts_, 1));
  EXPECT_THAT(store::h5::members(file.get()),
              ElementsAre("rank_0", "rank_0.1", "rank_1", "shared", "shared.1"));
}

TEST_F(Resume, AStateIsAStepAheadAfterWhichTriesCountAnew) {
  interrupt(1);
  for (int attempt = 2; attempt <= 6; ++attempt) {
    FileSink sink(options(true));
    sink.begin(example_run());
    EXPECT_EQ(sink.finished().size(), 1U) << attempt;
    begin_case(sink, 1, "measure");
    if (attempt == 3) sink.save(example_case(1), kState);
  }
  FileSink sink(options(true));
  sink.begin(example_run());
  EXPECT_EQ(sink.finished().size(), 2U) << "three tries without a new state";
}

TEST_F(Resume, AStateThatIsDamagedOrOfAnotherCaseIsPassedOver) {
  interrupt(1);
  FileSink sink(options(true));
  sink.begin(example_run());
  begin_case(sink, 1, "measure");
  sink.save(example_case(1), kState);
  CaseResult other = example_case(1);
  other.config_hash = "another";
  EXPECT_FALSE(sink.saved(other).has_value());
  const auto path = store::state_path(parts_, 1);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_FALSE(sink.saved(example_case(1)).has_value());
  std::ofstream(path) << "no HDF5";
  EXPECT_FALSE(sink.saved(example_case(1)).has_value());
}

TEST_F(Resume, WithoutItAStateIsNotLookedAt) {
  interrupt(0);
  store::write_state(parts_, example_case(0), kState);
  FileSink sink(options(false, true));
  sink.begin(example_run());
  EXPECT_FALSE(sink.saved(example_case(0)).has_value());
  EXPECT_FALSE(std::filesystem::exists(store::state_path(parts_, 0))) << "--force clears it";
}

TEST_F(Resume, WantsTheSamePlanAndOptions) {
  interrupt(1);
  auto other = example_run();
  other.planned.pop_back();
  EXPECT_THAT(refusal(options(true), other), AllOf(HasSubstr("--resume"), HasSubstr("plan")));
  other = example_run();
  other.config += "more";
  EXPECT_THAT(refusal(options(true), other), AllOf(HasSubstr("--resume"), HasSubstr("options")));
  EXPECT_EQ(read_run(parts_).cases.size(), 2U) << "a refusal leaves the parts as they are";
}

/// Somebody else wrote the file while the run went on.
TEST_F(Resume, AnOutputThatAppearsIsNotReplaced) {
  {
    FileSink sink(options());
    sink.begin(example_run());
    for (std::size_t i = 0; i < 3; ++i) finish(sink, i);
    std::ofstream(output_) << "theirs";
    EXPECT_THAT(test::message<Error>([&] { sink.end(example_run()); }),
                AllOf(HasSubstr("appeared meanwhile"), HasSubstr("scalemark finalize")));
  }
  EXPECT_EQ(std::filesystem::file_size(output_), 6U);
  EXPECT_EQ(read_run(parts_).cases.size(), 3U);
  finalize_parts(parts_, output_, true);
  EXPECT_EQ(read_run(output_).cases.size(), 3U);
}

TEST_F(Resume, ADamagedSegmentIsMeasuredAgain) {
  interrupt(2);
  std::filesystem::resize_file(parts_ / "c000000.h5", 1000);
  FileSink sink(options(true));
  sink.begin(example_run());
  EXPECT_THAT(sink.finished(), ElementsAre(Key(1U)));
  finish(sink, 0);
  finish(sink, 2);
  sink.end(example_run());
  const auto run = read_run(output_);
  ASSERT_EQ(run.cases.size(), 3U);
  test::expect_equal(run.cases[0], example_case(0));
  EXPECT_TRUE(std::filesystem::exists(parts_.string() + ".damaged/c000000.h5"));
}

TEST_F(Resume, APartThatAnotherProgramChangesMeanwhileIsNotRead) {
  interrupt(1);
  FileSink sink(options(true));
  sink.begin(example_run());
  finish(sink, 1);
  finish(sink, 2);
  const std::filesystem::path part = store::segment_path(parts_, 0), other = folder_ / "other.h5";
  std::filesystem::copy(part, other);
  std::filesystem::rename(other, part);
  EXPECT_THAT(test::message<Error>([&] { sink.end(example_run()); }),
              AllOf(HasSubstr("c000000.h5 was changed by another program"),
                    HasSubstr("scalemark finalize")));
  EXPECT_FALSE(std::filesystem::exists(output_));
  EXPECT_TRUE(std::filesystem::exists(store::segment_path(parts_, 2)));
}

TEST_F(Resume, TheNextRunFinishesARemoval) {
  const std::filesystem::path removed = parts_.string() + ".removed";
  interrupt(2);
  std::filesystem::rename(parts_, removed);
  std::filesystem::remove(removed / "meta.h5");
  FileSink sink(options());
  sink.begin(example_run());
  EXPECT_FALSE(std::filesystem::exists(removed));
  sink.end(example_run());
  std::filesystem::create_directory(removed);
  std::ofstream(removed / "thesis.txt") << "mine";
  EXPECT_THAT(refusal(options(false, true), example_run()), HasSubstr("thesis.txt"));
  EXPECT_TRUE(std::filesystem::exists(removed / "thesis.txt"));
}

TEST_F(Resume, NothingToResumeIsAnError) {
  EXPECT_THAT(refusal(options(true), example_run()), HasSubstr("--resume"));
  EXPECT_FALSE(std::filesystem::exists(parts_));
  write_run(output_, example_run());
  EXPECT_THAT(refusal(options(true), example_run()), HasSubstr("finished already"));
}

TEST_F(Resume, AKillBeforeTheHeaderLosesNothing) {
  std::filesystem::create_directory(parts_);
  std::ofstream(parts_ / ".meta.h5.123.tmp") << "half";
  FileSink sink(options(true));
  sink.begin(example_run());
  EXPECT_THAT(sink.finished(), IsEmpty());
  sink.end(example_run());
  EXPECT_EQ(read_run(output_).planned.size(), 3U);
  EXPECT_FALSE(std::filesystem::exists(parts_));
}

TEST_F(Resume, AKillBehindTheMergeLeavesAFinishedRun) {
  interrupt(3);
  std::filesystem::copy(parts_, folder_ / "saved");
  auto run = example_run();
  {
    FileSink sink(options(true));
    sink.begin(run);
    sink.end(run);
  }
  std::filesystem::rename(folder_ / "saved", parts_);
  FileSink sink(options(true));
  sink.begin(run);
  EXPECT_EQ(sink.finished().size(), 3U);
  sink.end(run);
  EXPECT_FALSE(std::filesystem::exists(parts_));
  EXPECT_EQ(read_run(output_).cases.size(), 3U);
}

TEST_F(Resume, AMergedFileThatIsNotCompleteIsNoFinishedRun) {
  interrupt(1);
  std::filesystem::copy(parts_, folder_ / "saved");
  finalize_parts(parts_, output_, false);
  std::filesystem::rename(folder_ / "saved", parts_);  // killed before the parts went
  EXPECT_THAT(refusal(options(true), example_run()), HasSubstr(output_.string()));
  EXPECT_EQ(read_run(parts_).cases.at(0).status, Status::ok) << "nothing is lost";
}

TEST_F(Resume, ARunStoppedOnPurposeKeepsItsParts) {
  auto run = example_run();
  {
    FileSink sink(options());
    sink.begin(run);
    finish(sink, 0);
    run.complete = false;
    run.exit_reason = "stopped by a signal";
    sink.end(run);
  }
  EXPECT_FALSE(std::filesystem::exists(output_));
  EXPECT_EQ(read_run(parts_).exit_reason, "stopped by a signal");
  FileSink sink(options(true));
  sink.begin(example_run());
  EXPECT_THAT(sink.finished(), ElementsAre(Pair(0, FinishedCase{Status::ok})));
}

TEST_F(Resume, AnExistingOutputIsNotReplacedWithoutForce) {
  write_run(output_, example_run());
  EXPECT_THAT(refusal(options(), example_run()),
              AllOf(HasSubstr(output_.string()), HasSubstr("--force")));
  EXPECT_EQ(read_run(output_).planned.size(), 3U);
  write_run(options(false, true), example_run(2));
  EXPECT_EQ(read_run(output_).planned.size(), 2U);
}

TEST_F(Resume, ExistingPartsAreNotReplacedWithoutForce) {
  interrupt(1);
  EXPECT_THAT(refusal(options(), example_run()),
              AllOf(HasSubstr("--resume"), HasSubstr("--force")));
  EXPECT_EQ(read_run(parts_).cases.at(0).status, Status::ok);
  write_run(options(false, true), example_run(2));
  EXPECT_EQ(read_run(output_).cases.size(), 0U);
}

TEST_F(Resume, AForcedRunCanBeResumed) {
  write_run(output_, example_run(2));
  {
    FileSink sink(options(false, true));
    sink.begin(example_run());
    finish(sink, 0);
  }
  // Not the old file's run: that one is gone.
  FileSink sink(options(true));
  sink.begin(example_run());
  EXPECT_THAT(sink.finished(), ElementsAre(Pair(0, FinishedCase{Status::ok})));
}

TEST_F(Resume, ForceRemovesNothingThatIsNotOurs) {
  std::filesystem::create_directory(parts_);
  std::ofstream(parts_ / "thesis.txt") << "years of work";
  EXPECT_THAT(refusal(options(false, true), example_run()), HasSubstr("thesis.txt"));
  EXPECT_TRUE(std::filesystem::exists(parts_ / "thesis.txt"));
}

TEST_F(Resume, OutputsThatCanNeverBeWrittenAreRefusedBeforehand) {
  std::filesystem::create_directory(output_);
  EXPECT_THAT(refusal(options(false, true), example_run()), HasSubstr("not a regular file"));
  WriterOptions into_file = options();
  std::ofstream(folder_ / "file") << "x";
  into_file.output = folder_ / "file" / "a.h5";
  EXPECT_THAT(refusal(into_file, example_run()), HasSubstr("Not a directory"));
  WriterOptions nowhere = options();
  nowhere.output = folder_ / "none" / "a.h5";
  EXPECT_THAT(refusal(nowhere, example_run()), HasSubstr("No such file"));
  // A folder that not even root can write.
  WriterOptions read_only = options();
  read_only.output = "/proc/a.h5";
  EXPECT_THAT(refusal(read_only, example_run()),
              AllOf(HasSubstr("--output"), HasSubstr("/proc/a.h5")));
}

TEST_F(Resume, OneWriterAtATime) {
  FileSink first(options());
  first.begin(example_run());
  finish(first, 0);
  for (const bool force : {false, true}) {
    EXPECT_THAT(refusal(options(!force, force), example_run()), HasSubstr("another process"));
  }
  EXPECT_THAT(test::message<UsageError>([&] { finalize_parts(parts_, output_, false); }),
              HasSubstr("another process"));
  first.end(example_run());
  EXPECT_EQ(read_run(output_).cases.size(), 1U);
}

}  // namespace
}  // namespace scalemark
