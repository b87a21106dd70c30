// SPDX-License-Identifier: Apache-2.0
// Many segments become one batch, and nobody who reads them notices.
#include <algorithm>
#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/segments.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/interrupted.hpp"

namespace scalemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kCases = 11;

class Compact : public test::Interrupted {
 protected:
  static scalemark::Run planned() { return test::example_run(kCases); }
  WriterOptions small_batches(bool resume = false) const {
    return {.output = output_, .resume = resume, .batch = 4};
  }
  /// Finishes these cases of the plan in this order; nothing more.
  void write(const std::vector<std::size_t>& indices, bool resume = false) const {
    FileSink sink(small_batches(resume));
    sink.begin(planned());
    for (const std::size_t index : indices) finish(sink, index);
  }
  /// Names of the files with cases, sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(parts_)) {
      const std::string name = entry.path().filename().string();
      if (store::is_segment(name) || store::is_batch(name)) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }
  void expect_cases(const std::filesystem::path& path, std::size_t count) const {
    const auto run = read_run(path);
    ASSERT_EQ(run.cases.size(), count);
    for (std::size_t i = 0; i < count; ++i) test::expect_equal(run.cases[i], test::example_case(i));
  }
};

/// A run under way moves its segments into a batch while another process reads them.
TEST_F(Compact, AReaderFollowsPartsThatMove) {
  write({0, 1, 2, 3, 4, 5, 6});
  ASSERT_THAT(files(), ElementsAre("b000001.h5", "c000004.h5", "c000005.h5", "c000006.h5"));
  std::vector<std::size_t> seen;
  store::for_each_segment(parts_, true, [&](CaseResult result) {
    test::expect_equal(result, test::example_case(seen.size()));
    seen.push_back(result.index);
    if (seen.size() == 5) store::compact_segments(parts_);
  });
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(files(), ElementsAre("b000001.h5", "b000002.h5"));
}

TEST_F(Compact, BatchesReadLikeSegments) {
  write({5, 0, 3, 1, 2, 4, 6, 8, 7, 9});
  EXPECT_THAT(files(), ElementsAre("b000001.h5", "b000002.h5", "c000007.h5", "c000009.h5"));
  expect_cases(parts_, 10);
  finalize_parts(parts_, output_, false);
  EXPECT_FALSE(std::filesystem::exists(parts_));
  expect_cases(output_, 10);
}

TEST_F(Compact, AResumedRunKnowsWhatIsInBatches) {
  write({0, 1, 2, 3, 4});
  {
    FileSink sink(small_batches(true));
    sink.begin(planned());
    EXPECT_EQ(sink.finished().size(), 5U);
    for (std::size_t i = 5; i < kCases; ++i) finish(sink, i);
    sink.end(planned());
  }
  expect_cases(output_, kCases);
}

// A case that is begun again and again is given up; one in a batch is finished.
TEST_F(Compact, AFinishedCaseInABatchIsNotUnfinished) {
  write({0, 1, 2, 3});
  EXPECT_THAT(store::read_unfinished(parts_, planned()), IsEmpty());
  {
    FileSink sink(small_batches(true));
    sink.begin(planned());
    begin_case(sink, 4, "measure");
  }
  EXPECT_EQ(read_run(parts_).cases.at(4).status, Status::failed);
  finalize_parts(parts_, output_, false);
  EXPECT_EQ(read_run(output_).cases.size(), 5U);
}

TEST_F(Compact, AKillBetweenBatchAndRemovalDoublesNothing) {
  write({0, 1, 2});
  const auto kept = folder_ / "kept";
  std::filesystem::copy(parts_, kept);
  write({3}, true);  // three files from before: no batch yet
  store::compact_segments(parts_);
  EXPECT_THAT(files(), ElementsAre("b000001.h5"));
  for (const auto* name : {"c000000.h5", "c000002.h5"})
    std::filesystem::copy(kept / name, parts_ / name);
  expect_cases(parts_, 4);
  // The next batch holds them again.
  write({4, 5}, true);
  store::compact_segments(parts_);
  EXPECT_THAT(files(), ElementsAre("b000001.h5", "b000002.h5"));
  expect_cases(parts_, 6);
  finalize_parts(parts_, output_, false);
  expect_cases(output_, 6);
}

TEST_F(Compact, HalfABatchIsPassedOver) {
  write({0, 1, 2});
  std::ofstream(parts_ / ".b000001.h5.host.1.tmp") << "half";
  expect_cases(parts_, 3);
  write({3, 4, 5, 6}, true);
  EXPECT_THAT(files(), ElementsAre("b000001.h5"));
  finalize_parts(parts_, output_, false);
  EXPECT_FALSE(std::filesystem::exists(parts_));
}

TEST_F(Compact, ADamagedBatchIsNamed) {
  write({0, 1, 2, 3});
  std::filesystem::resize_file(parts_ / "b000001.h5", 5000);
  const auto run = read_run(parts_);
  ASSERT_EQ(run.cases.size(), 4U);
  for (const CaseResult& one : run.cases) EXPECT_THAT(one.reason, HasSubstr("b000001.h5"));
  std::filesystem::remove(parts_ / store::kJournalName);
  EXPECT_THAT(test::message<InputError>([&] { read_run(parts_); }), HasSubstr("b000001.h5"));
}

// A segment that nobody could read stays where it is, and so do the others.
TEST_F(Compact, WhatCannotBeReadIsNotPutTogether) {
  write({0, 1, 2});
  std::filesystem::resize_file(parts_ / "c000001.h5", 1000);
  EXPECT_THAT(test::message<Error>([&] { store::compact_segments(parts_); }),
              HasSubstr("c000001.h5"));
  EXPECT_THAT(files(), ElementsAre("c000000.h5", "c000001.h5", "c000002.h5"));
}

// A limit on the size of a file shows like a full disk: the run goes on with a file a case.
TEST_F(Compact, WithoutSpaceForABatchTheSegmentsStay) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  {
    FileSink sink(small_batches());
    sink.begin(planned());
    for (std::size_t i = 0; i < 3; ++i) finish(sink, i);
    const rlimit small{3 * std::filesystem::file_size(parts_ / "c000000.h5") / 2, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    finish(sink, 3);
    finish(sink, 4);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(files().size(), 5U);
    expect_cases(parts_, 5);
    for (std::size_t i = 5; i < 8; ++i) finish(sink, i);
  }
  EXPECT_THAT(files(), ElementsAre("b000001.h5"));
  expect_cases(parts_, 8);
}

}  // namespace
}  // namespace scalemark
