// SPDX-License-Identifier: Apache-2.0
// Progress lines, with a fake clock.
#include "common/print/progress.hpp"

#include <gtest/gtest.h>

namespace scalemark::print {
namespace {

class ProgressTest : public testing::Test {
 protected:
  Progress progress(std::size_t width, bool every_case = false, std::optional<double> budget = {}) {
    Progress result([this](const std::string& text) { lines_.push_back(text); },
                    {.line_width = width,
                     .every_case = every_case,
                     .clock = [this] { return now_; },
                     .budget = budget});
    scalemark::Run run;
    run.planned = {"micro/a bytes=8", "micro/a bytes=16", "micro/b", "micro/b"};
    result.begin(run);
    return result;
  }

  static CaseResult one(std::size_t index, const std::string& name, const std::string& phase = "") {
    CaseResult result;
    result.index = index;
    result.name = name;
    result.key = name + " ranks=2";
    result.phase = phase;
    return result;
  }

  void pass(double seconds) { now_ += static_cast<std::uint64_t>(seconds * 1e9); }

  std::uint64_t now_ = 5'000'000'000;
  std::vector<std::string> lines_;
};

TEST_F(ProgressTest, SaysWhatIsGoneAndWhatIsLeft) {
  Progress progress = this->progress(0);
  progress.started(one(0, "micro/a"));
  pass(20);
  progress.add(one(0, "micro/a"));
  progress.started(one(1, "micro/a"));
  pass(40);
  progress.add(one(1, "micro/a"));
  progress.started(one(2, "micro/b"));
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_EQ(lines_[0], "[1/4] micro/a ranks=2; 0.0 s gone");
  // One known case of 20 s: one more of that benchmark, and two unknown ones counted as equally
  // long.
  EXPECT_EQ(lines_[1], "[2/4] micro/a ranks=2; 20 s gone, about 1 min 0 s left");
  // The mean of 20 and 40 s for the two remaining cases.
  EXPECT_EQ(lines_[2], "[3/4] micro/b ranks=2; 1 min 0 s gone, about 1 min 0 s left");
}

TEST_F(ProgressTest, LinesAreAtMostOneInTenSeconds) {
  Progress progress = this->progress(0), verbose = this->progress(0, true);
  for (std::size_t i = 0; i < 4; ++i) {
    progress.started(one(i, "micro/a", "warm-up"));
    progress.phase(one(i, "micro/a", "samples"));
    pass(4);
    progress.add(one(i, "micro/a"));
  }
  EXPECT_EQ(lines_.size(), 2U);  // at 0 and at 12 s
  lines_.clear();
  for (std::size_t i = 0; i < 4; ++i) {
    verbose.started(one(i, "micro/a"));
    verbose.phase(one(i, "micro/a"));
  }
  EXPECT_EQ(lines_.size(), 4U);
}

TEST_F(ProgressTest, ALongCaseSaysThatItGoesOn) {
  Progress progress = this->progress(0);
  progress.started(one(0, "micro/a"));
  for (int i = 0; i < 5; ++i) {
    pass(7);
    progress.phase(one(0, "micro/a", "epoch"));
  }
  ASSERT_EQ(lines_.size(), 3U);  // at 0, 14 and 28 s
  EXPECT_EQ(lines_[2], "[1/4] micro/a ranks=2; 28 s gone");
}

TEST_F(ProgressTest, WhatWillBeSkippedOrIsDoneTakesNoTime) {
  Progress progress = this->progress(0);
  progress.leave_out({0, 3});
  progress.started(one(1, "micro/a"));
  pass(20);
  progress.add(one(1, "micro/a"));
  progress.started(one(2, "micro/b"));
  EXPECT_EQ(lines_.back(), "[3/4] micro/b ranks=2; 20 s gone, about 20 s left");
}

TEST_F(ProgressTest, BehindTheBudgetNothingIsMeasured) {
  // The second case ends at 40 s, after the time limit; the third one does not start.
  Progress progress = this->progress(0, false, 35);
  progress.started(one(0, "micro/a"));
  pass(20);
  progress.add(one(0, "micro/a"));
  progress.started(one(1, "micro/a"));
  EXPECT_EQ(lines_.back(), "[2/4] micro/a ranks=2; 20 s gone, about 20 s left");
}

TEST_F(ProgressTest, SkippedCasesTakeNoTime) {
  Progress progress = this->progress(0, true);
  progress.add(one(0, "micro/a"));
  pass(100);
  progress.started(one(1, "micro/a"));
  EXPECT_EQ(lines_.back(), "[2/4] micro/a ranks=2; 1 min 40 s gone");
}

TEST_F(ProgressTest, ATerminalsLineIsWrittenOverAndClearedBeforeARow) {
  Progress progress = this->progress(40);
  progress.started(one(0, "micro/a", "set up"));
  progress.phase(one(0, "micro/a", "warm-up"));  // too soon
  pass(0.2);
  progress.phase(one(0, "micro/a", "samples"));
  progress.add(one(0, "micro/a"));
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_EQ(lines_[0], "\r\x1b[2K[1/4] micro..nks=2 (set up); 0.0 s gone\r");
  EXPECT_EQ(lines_[1], "\r\x1b[2K[1/4] micro..ks=2 (samples); 0.2 s gone\r");
  EXPECT_EQ(lines_[2], "\r\x1b[2K");
  progress.end(scalemark::Run{});
  EXPECT_EQ(lines_.size(), 3U);  // the line was already erased
}

TEST_F(ProgressTest, CountsSweepsInTheOrderInWhichTheyCome) {
  Progress progress = this->progress(0);
  progress.expect({2, 0, 0, 2, 2});
  const auto measure = [&](std::size_t index, const std::string& name, double seconds,
                           Status status = Status::ok) {
    CaseResult part = one(index, name);
    progress.started(part);
    pass(seconds);
    part.status = status;
    progress.keep(part);
  };
  measure(2, "micro/b", 20);
  measure(0, "micro/a", 10);
  measure(0, "micro/a", 10);
  progress.add_kept(one(0, "micro/a"));
  // It failed, so there is no third sweep.
  measure(2, "micro/b", 20, Status::failed);
  progress.add_kept(one(2, "micro/b"));
  progress.expect({1});
  measure(1, "micro/a", 1);
  ASSERT_EQ(lines_.size(), 5U);
  EXPECT_EQ(lines_[0], "[1/5] micro/b ranks=2; 0.0 s gone");
  EXPECT_EQ(lines_[1], "[2/5] micro/a ranks=2; 20 s gone, about 1 min 20 s left");
  EXPECT_EQ(lines_[2], "[3/5] micro/a ranks=2; 30 s gone, about 50 s left");
  EXPECT_EQ(lines_[3], "[4/5] micro/b ranks=2; 40 s gone, about 40 s left");
  EXPECT_EQ(lines_[4], "[1/1] micro/a ranks=2; 1 min 0 s gone, about 10 s left");
}

TEST_F(ProgressTest, ACaseThatFailedIsNotWaitedFor) {
  Progress progress = this->progress(0);
  progress.expect({0, 1, 0, 1, 0});
  CaseResult part = one(0, "micro/a");
  progress.started(part);
  pass(10);
  part.status = Status::oom;
  progress.keep(part);
  progress.started(one(1, "micro/a"));
  EXPECT_EQ(lines_.back(), "[2/3] micro/a ranks=2; 10 s gone, about 20 s left");
}

}  // namespace
}  // namespace scalemark::print
