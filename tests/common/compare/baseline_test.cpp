// SPDX-License-Identifier: Apache-2.0
// Baselines: written, read, and compared with.
#include "common/compare/baseline.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/compare/compare.hpp"
#include "common/store/reader.hpp"
#include "common/store/whole_run.hpp"
#include "tests/common/compare/synthetic.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::compare {
namespace {

using test::measured;
using test::noisy_side;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Through a file, as `scalemark compare` reads it.
RunDigest through_file(const scalemark::Run& run) {
  const test::TempDir folder;
  const std::string path = folder / "baseline.h5";
  write_result_file(path, run, true);
  Digester digester("base.h5");
  visit_run(path, {},
            {.header = [&](const scalemark::Run& header) { digester.header(header); },
             .one_case = [&](const CaseResult& one) { digester.add(one); }});
  return digester.finish();
}

const CompareRow& row_of(const Comparison& comparison, const std::string& key) {
  for (const CompareRow& row : comparison.rows) {
    if (row.key == key) return row;
  }
  throw std::out_of_range(key);
}

// Medians of 100, 110 and 121 us: mean of the logarithms ln 110 us, variance (ln 1.1)^2.
TEST(Baseline, KeepsMeanAndVarianceOfEachRow) {
  std::vector<RunDigest> runs;
  for (const std::uint64_t time : {100000U, 110000U, 121000U})
    runs.push_back(test::digest_of("a" + std::to_string(time), {measured("m/x", 1, {time})}));
  const RunDigest known = through_file(make_baseline(runs));
  EXPECT_THAT(known.stands_for, ElementsAre("a100000", "a110000", "a121000"));
  ASSERT_THAT(known.keys, ElementsAre("m/x bytes=1 ranks=2"));
  const RowDigest& row = known.rows.at(known.keys[0]);
  EXPECT_EQ(row.metric, "latency");
  EXPECT_EQ(row.unit, "s");
  EXPECT_EQ(row.better, Better::lower);
  EXPECT_EQ(row.runs, 3);
  EXPECT_NEAR(row.value, 110e-6, 1e-15);
  EXPECT_NEAR(row.variance, std::pow(std::log(1.1), 2), 1e-12);
  EXPECT_NEAR(row.relative_resolution, 1e-5, 1e-15);
  EXPECT_THAT(known.priors, IsEmpty());  // a single row
}

TEST(Baseline, GivesTheNumbersOfItsRuns) {
  std::mt19937_64 random(1);
  const auto a = noisy_side("a", 5, 60, 0.01, random),
             b = noisy_side("b", 3, 60, 0.01, random, 1.1, 6);
  const std::vector<RunDigest> known = {through_file(make_baseline(a))};
  const Comparison runs = compare(a, b), base = compare(known, b);
  EXPECT_EQ(base.runs_a, 5U);
  ASSERT_EQ(base.rows.size(), runs.rows.size());
  for (const CompareRow& row : runs.rows) {
    const CompareRow& other = row_of(base, row.key);
    EXPECT_NEAR(row.change, other.change, 1e-9);
    EXPECT_NEAR(row.a, other.a, 1e-12);
    EXPECT_EQ(row.runs_a, other.runs_a);
  }
  EXPECT_NEAR(base.shift.change, runs.shift.change, 0.005);
  EXPECT_EQ(base.count(Verdict::regression), runs.count(Verdict::regression));
}

// Golden README: five runs against one, 10 % on a tenth of 200 rows, is found with 96 %.
TEST(Baseline, JudgesOneNewRun) {
  std::mt19937_64 random(2);
  const auto a = noisy_side("a", 5, 200, 0.008, random);
  const std::vector<RunDigest> known = {through_file(make_baseline(a))};
  const Comparison worse = compare(known, noisy_side("b", 1, 200, 0.008, random, 1.1, 20)),
                   equal = compare(known, noisy_side("c", 1, 200, 0.008, random));
  EXPECT_GE(worse.count(Verdict::regression), 17U);
  EXPECT_LE(worse.count(Verdict::regression), 22U);
  EXPECT_THAT(worse.method, HasSubstr("stored"));
  EXPECT_EQ(equal.count(Verdict::regression) + equal.count(Verdict::improved), 0U);
}

// df = d0 + nu: a prior of 4 and five base runs, one new run. s~^2 = (4 * 1e-4 + 4 * 4e-4) / 8 =
// 2.5e-4, SE^2 = 2.5e-4 (1/5 + 1). A change of 9.3 SE with tau 0 and 8 degrees of freedom.
TEST(Baseline, BorrowsDegreesOfFreedomWithoutABound) {
  RunDigest known = test::digest_of("base", {measured("m/x", 1, {100000})});
  known.stands_for = {"1", "2", "3", "4", "5"};
  known.priors["latency"] = {4, 1e-4};
  RowDigest& row = known.rows.begin()->second;
  row.runs = 5;
  row.variance = 4e-4;
  row.relative_resolution = 0;
  RunDigest next = test::digest_of("new", {measured("m/x", 1, {117351})});
  next.rows.begin()->second.relative_resolution = 0;
  const Comparison result = compare(std::vector{known}, std::vector{next});
  const double difference = std::log(1.17351), se = std::sqrt(2.5e-4 * 1.2);
  // t quantile 0.975 of 8 degrees of freedom: 2.306004.
  EXPECT_NEAR(std::log1p(result.rows[0].low), difference - 2.306004 * se, 1e-7);
  EXPECT_NEAR(std::log1p(result.rows[0].high), difference + 2.306004 * se, 1e-7);
  EXPECT_EQ(result.rows[0].verdict, Verdict::regression);
}

TEST(Baseline, KnowsEveryValueOfItsEnvironment) {
  std::mt19937_64 random(3);
  auto a = noisy_side("a", 3, 4, 0.01, random), b = noisy_side("b", 2, 4, 0.01, random, 1.5, 4);
  for (std::size_t r = 0; r < 3; ++r) a[r].environment["kernel"] = r == 2 ? "6.2" : "6.1";
  for (RunDigest& run : b) run.environment["kernel"] = "6.3";
  const std::vector<RunDigest> known = {through_file(make_baseline(a))};
  const Comparison result = compare(known, b);
  ASSERT_THAT(result.environment, SizeIs(1));
  EXPECT_EQ(result.environment[0].a, "6.1 | 6.2");
  EXPECT_EQ(result.environment[0].b, "6.3");
  EXPECT_THAT(result.causes, SizeIs(1));
}

TEST(Baseline, StandsAloneAndIsNotMadeOfItself) {
  std::mt19937_64 random(4);
  const auto a = noisy_side("a", 3, 4, 0.01, random), b = noisy_side("b", 2, 4, 0.01, random);
  const RunDigest known = through_file(make_baseline(a));
  EXPECT_THROW(compare(std::vector{known, a[0]}, b), UsageError);
  EXPECT_THROW(compare(b, std::vector{known}), UsageError);
  EXPECT_THROW(compare(std::vector{known}, a), UsageError);  // a run of the baseline itself
  EXPECT_THROW(make_baseline(std::vector{known, b[0]}), UsageError);
  EXPECT_THROW(make_baseline(std::vector{a[0]}), UsageError);
  EXPECT_THROW(make_baseline(std::vector{a[0], a[0]}), UsageError);
}

TEST(Baseline, IsRefusedWithNumbersThatNoRunsGive) {
  std::mt19937_64 random(5);
  const scalemark::Run good = make_baseline(noisy_side("a", 3, 30, 0.01, random));
  const auto refused = [&](const char* table, const char* column, auto value) {
    scalemark::Run bad = good;
    for (Column& one : bad.cases[0].tables.at(table).columns) {
      if (one.name == column) std::get<std::vector<decltype(value)>>(one.values)[0] = value;
    }
    try {
      through_file(bad);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused("baseline/rows", "key", std::string("m/fine")), "taken");
  EXPECT_THAT(refused("baseline/rows", "variance", -1.0), HasSubstr("base.h5: baseline: row"));
  EXPECT_THAT(refused("baseline/rows", "variance", std::nan("")), HasSubstr("impossible numbers"));
  EXPECT_THAT(refused("baseline/rows", "mean_log", HUGE_VAL), HasSubstr("impossible numbers"));
  EXPECT_THAT(refused("baseline/rows", "runs", std::uint64_t{1}), HasSubstr("impossible numbers"));
  EXPECT_THAT(refused("baseline/rows", "runs", std::uint64_t{1} << 40),
              HasSubstr("impossible numbers"));
  EXPECT_THAT(refused("baseline/rows", "better", std::string("much")), HasSubstr("much"));
  EXPECT_THAT(refused("baseline/families", "prior_df", 1e9), HasSubstr("impossible prior"));
  EXPECT_THAT(refused("baseline/families", "prior_variance", 0.0), HasSubstr("impossible prior"));
  scalemark::Run bad = good;
  bad.cases[0].tables.erase("baseline/facts");
  EXPECT_THROW(through_file(bad), InputError);
  bad = good;
  bad.cases.push_back(measured("m/x", 1, {5}));
  bad.cases.back().index = 1;
  bad.planned.push_back(bad.cases.back().key);
  EXPECT_THROW(through_file(bad), InputError);
}

}  // namespace
}  // namespace scalemark::compare
