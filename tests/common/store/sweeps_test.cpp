// SPDX-License-Identifier: Apache-2.0
// Sweeps on disk: each is safe when it is kept, in segments and batches, over kills and resumes.
#include "common/result/sweeps.hpp"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/segments.hpp"
#include "tests/common/store/interrupted.hpp"

namespace scalemark {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr int kSweeps = 3;

/// A sweep over an example of 5 iterations on 2 ranks, whose times are above 1000 * sweep.
CaseResult sweep_over(std::size_t index, int sweep) {
  CaseResult part = test::example_case(index);
  auto& times = std::get<std::vector<std::uint64_t>>(part.metrics[1].samples.values);
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = static_cast<std::uint64_t>(1000 * (sweep + 1)) + i;
  part.verification.wrong = 0;
  mark_sweep(part, sweep, kSweeps);
  return part;
}

const Samples& times_of(const CaseResult& result) { return result.find("latency")->samples; }

class SweepsOnDisk : public test::Interrupted {
 protected:
  static scalemark::Run planned() { return test::example_run(3); }
  WriterOptions with(bool resume = false, std::size_t batch = 100) const {
    return {.output = output_, .resume = resume, .batch = batch};
  }
  static CaseResult keep(FileSink& sink, std::size_t index, int sweep) {
    sink.started(test::example_case(index));
    return sink.keep(sweep_over(index, sweep));
  }
  std::size_t count(bool (*is)(const std::string&)) const {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(parts_))
      found += is(entry.path().filename().string()) ? 1 : 0;
    return found;
  }
  static void expect_sweeps(const CaseResult& result, int sweeps) {
    EXPECT_EQ(sweeps_of(result), sweeps);
    ASSERT_EQ(times_of(result).iterations, 5U * static_cast<std::size_t>(sweeps));
    const auto starts = sweep_starts(result, *result.find("latency"));
    ASSERT_EQ(starts.size(), static_cast<std::size_t>(sweeps));
    for (std::size_t sweep = 0; sweep < starts.size(); ++sweep) {
      EXPECT_EQ(starts[sweep], 5 * sweep);
      EXPECT_NEAR(times_of(result).value(1, starts[sweep]),
                  (1000 * (static_cast<double>(sweep) + 1) + 5) * 1e-9 / 4, 1e-15);
    }
  }
};

TEST_F(SweepsOnDisk, AreOneCaseThatGrows) {
  {
    FileSink sink(with());
    sink.begin(planned());
    EXPECT_FALSE(sink.kept(1, true));
    expect_sweeps(keep(sink, 1, 0), 1);
    expect_sweeps(read_run(parts_).cases.at(0), 1);
    expect_sweeps(keep(sink, 1, 1), 2);
    expect_sweeps(sink.kept(1, true).value(), 2);
    EXPECT_EQ(times_of(sink.kept(1, false).value()).inner, 4U);
    sink.add_kept(keep(sink, 1, 2));
    keep(sink, 0, 0);
    sink.end(planned());
  }
  const auto run = read_run(output_);
  ASSERT_EQ(run.cases.size(), 2U);
  expect_sweeps(run.cases[0], 1);
  expect_sweeps(run.cases[1], 3);
}

TEST_F(SweepsOnDisk, TheLatestOfSeveralFilesCounts) {
  FileSink sink(with(false, 2));
  sink.begin(planned());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const std::size_t index : {2U, 0U, 1U}) expect_sweeps(keep(sink, index, sweep), sweep + 1);
  }
  // 9 parts in batches of 2; those whose cases all stand elsewhere are gone.
  EXPECT_EQ(count(store::is_segment), 1U);
  EXPECT_LE(count(store::is_batch), 2U);
  for (const std::size_t index : {0U, 1U, 2U}) expect_sweeps(sink.kept(index, true).value(), 3);
  auto run = planned();
  run.cases.clear();
  sink.end(run);
  for (const CaseResult& result : read_run(output_).cases) expect_sweeps(result, 3);
}

TEST_F(SweepsOnDisk, NoBatchGoesThatHoldsACaseOfAnEarlierLaunch) {
  {
    FileSink sink(with(false, 2));
    sink.begin(planned());
    keep(sink, 0, 0);
    keep(sink, 1, 0);
  }
  ASSERT_EQ(count(store::is_batch), 1U);
  {
    FileSink sink(with(true, 2));
    sink.begin(planned());
    keep(sink, 0, 1);
    keep(sink, 2, 0);
  }
  const auto cases = read_run(parts_).cases;
  ASSERT_EQ(cases.size(), 3U);
  expect_sweeps(cases[0], 2);
  expect_sweeps(cases[1], 1);
  expect_sweeps(cases[2], 1);
}

TEST_F(SweepsOnDisk, AResumedRunKnowsHowManyThereAre) {
  {
    FileSink sink(with());
    sink.begin(planned());
    for (int sweep = 0; sweep < kSweeps; ++sweep) keep(sink, 0, sweep);
    keep(sink, 1, 0);
    keep(sink, 1, 1);
  }
  FileSink sink(with(true));
  sink.begin(planned());
  EXPECT_THAT(sink.finished(), ElementsAre(Pair(0, FinishedCase{Status::ok}),
                                           Pair(1, FinishedCase{Status::ok, false, 2})));
  expect_sweeps(keep(sink, 1, 2), 3);
  expect_sweeps(keep(sink, 2, 0), 1);
}

TEST_F(SweepsOnDisk, TriesCountForEachSweep) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    FileSink sink(with(attempt > 0));
    sink.begin(planned());
    begin_case(sink, 0, "measure");
  }
  {
    FileSink sink(with(true));
    sink.begin(planned());
    keep(sink, 0, 0);
    begin_case(sink, 0, "warm-up");
  }
  {
    const auto seen = read_run(parts_).cases;
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].status, Status::failed);
    EXPECT_EQ(seen[0].reason, "sweep 2 of 3: the run ended during phase 'warm-up' (1 try)");
    expect_sweeps(seen[0], 1);
  }
  for (int attempt = 1; attempt < store::kTries; ++attempt) {
    FileSink sink(with(true));
    sink.begin(planned());
    EXPECT_THAT(sink.finished(), ElementsAre(Pair(0, FinishedCase{Status::ok, false, 1})));
    begin_case(sink, 0, "warm-up");
  }
  FileSink sink(with(true));
  sink.begin(planned());
  EXPECT_THAT(sink.finished(), ElementsAre(Pair(0, FinishedCase{Status::failed})));
  sink.end(planned());
  const auto given_up = read_run(output_).cases.at(0);
  EXPECT_EQ(given_up.reason, "sweep 2 of 3: the run ended during phase 'warm-up' (3 tries)");
  expect_sweeps(given_up, 1);
}

// Killed between the segment and the journal's line: what is on disk counts.
TEST_F(SweepsOnDisk, ASweepThatIsKeptIsNotUnfinished) {
  {
    FileSink sink(with());
    sink.begin(planned());
    keep(sink, 0, 0);
    keep(sink, 0, 1);
  }
  std::vector<std::string> lines;
  std::ifstream journal(parts_ / store::kJournalName);
  for (std::string line; std::getline(journal, line);) lines.push_back(line);
  ASSERT_THAT(lines.back(), ::testing::HasSubstr("kept"));
  lines.pop_back();
  std::ofstream cut(parts_ / store::kJournalName);
  for (const std::string& line : lines) cut << line << '\n';
  cut.close();
  const auto seen = read_run(parts_).cases;
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].status, Status::ok);
  expect_sweeps(seen[0], 2);
}

TEST_F(SweepsOnDisk, AFinalizedRunSaysWhetherSweepsAreMissing) {
  for (const int sweeps : {2, 3}) {
    {
      FileSink sink({.output = output_, .force = true});
      sink.begin(planned());
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (const std::size_t index : {0U, 1U, 2U}) {
          if (index < 2 || sweep < sweeps) keep(sink, index, sweep);
        }
      }
    }
    finalize_parts(parts_, output_, true);
    const auto run = read_run(output_);
    EXPECT_EQ(run.complete, sweeps == kSweeps);
    expect_sweeps(run.cases.at(2), sweeps);
  }
}

TEST_F(SweepsOnDisk, OneThatDoesNotFitFailsTheCase) {
  FileSink sink(with());
  sink.begin(planned());
  keep(sink, 0, 0);
  CaseResult other = sweep_over(0, 1);
  other.metrics[1].samples.inner = 8;
  const CaseResult all = sink.keep(other);
  EXPECT_EQ(all.status, Status::failed);
  EXPECT_EQ(all.reason,
            "sweep 2 of 3: metric 'latency' has operations a sample: 8 in this sweep and 4 in "
            "those before");
  expect_sweeps(read_run(parts_).cases.at(0), 1);
}

TEST_F(SweepsOnDisk, NamesAreHiddenOnce) {
  auto run = planned();
  FileSink sink({.output = output_, .redact = true});
  sink.begin(run);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    CaseResult part = sweep_over(0, sweep);
    part.tables = {{"telemetry/node",
                    {{{"t", "ns", std::vector<std::uint64_t>{1}},
                      {"node", "", std::vector<std::string>{"n0"}}}}}};
    sink.started(part);
    sink.keep(part);
  }
  const Table nodes = read_run(parts_).cases.at(0).tables.at("telemetry/node");
  const auto& names = std::get<std::vector<std::string>>(nodes.columns.at(1).values);
  ASSERT_EQ(names.size(), 3U);
  EXPECT_NE(names[0], "n0");
  EXPECT_EQ(names[1], names[0]);
  EXPECT_EQ(names[2], names[0]);
}

}  // namespace
}  // namespace scalemark
