// SPDX-License-Identifier: Apache-2.0
// Analyses over several cases, for one run and for several.
#include "common/print/joined.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/compare/synthetic.hpp"

namespace scalemark::print {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Latency 1.5 us and bandwidth 12.5 GB/s, `slower` times as slow.
std::vector<CaseResult> sweep(std::uint64_t slower) {
  std::vector<CaseResult> cases;
  for (std::int64_t bytes = 8; bytes <= 1 << 20; bytes *= 4) {
    const auto picoseconds = static_cast<std::uint64_t>(1'500'000 + 80 * bytes);
    cases.push_back(test::measured("micro/pingpong", bytes, {picoseconds * slower}));
    cases.back().metrics[0].samples.scale = 1e-12;
  }
  return cases;
}

CaseResult training(std::int64_t ranks, std::uint64_t seconds) {
  CaseResult result;
  result.name = "imaging/train";
  result.params = {{"ranks", ranks}};
  result.key = make_key(result.name, result.params);
  result.metrics = {test::duration("total_time", {seconds * 1'000'000'000})};
  result.facts["images_seen"] = std::int64_t{6000};
  return result;
}

std::string printed(const Joined& joined) {
  std::ostringstream out;
  joined.print(out);
  return out.str();
}

TEST(Joined, OfOneRunNeedsNoBeginning) {
  Joined joined;
  for (const CaseResult& one : sweep(1)) joined.add(one);
  EXPECT_THAT(printed(joined), HasSubstr("latency 1.500 us, bandwidth 12.50 GB/s"));
}

TEST(Joined, OfSeveralRunsTakesTheMedianOfEachCase) {
  Joined joined;
  for (const std::uint64_t slower : {1U, 10U, 2U}) {
    joined.begin_run();
    for (const CaseResult& one : sweep(slower)) joined.add(one);
  }
  const std::string text = printed(joined);
  EXPECT_THAT(text, HasSubstr("latency 3.000 us, bandwidth 6.250 GB/s"));
  EXPECT_THAT(text, Not(HasSubstr("1.500 us")));
  const auto fields = joined.fields();
  ASSERT_EQ(fields.size(), sweep(1).size());
  EXPECT_NEAR(fields.begin()->second.at("message_cost").at("latency").get<double>(), 3e-6, 1e-11);
}

TEST(Joined, OfSeveralRunsHasIntervalsOfTheScaling) {
  Joined joined;
  for (const std::uint64_t noise : {0U, 1U, 2U}) {
    joined.begin_run();
    joined.add(training(1, 100 + noise));
    joined.add(training(2, 50 + noise));
  }
  const std::string text = printed(joined);
  EXPECT_THAT(text, HasSubstr("2 workers    50.99 s   speed-up 1.98   efficiency 0.99 ["));
  EXPECT_EQ(joined.fields().at("imaging/train ranks=2").at("scaling").at("workers"), 2);
}

TEST(Joined, ForgetsWhatIsNotWanted) {
  Joined joined;
  for (const CaseResult& one : sweep(1)) joined.add(one);
  joined.add(training(1, 100));
  joined.add(training(2, 50));
  joined.keep([](const std::string& key) { return key.starts_with("imaging/"); });
  EXPECT_THAT(printed(joined), Not(HasSubstr("Message costs")));
  EXPECT_THAT(printed(joined), HasSubstr("Scaling:"));
}

}  // namespace
}  // namespace scalemark::print
