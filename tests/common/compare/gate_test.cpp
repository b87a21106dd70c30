// SPDX-License-Identifier: Apache-2.0
// Exit codes of a comparison.
#include "common/compare/gate.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalemark::compare {
namespace {

Comparison with(std::initializer_list<Verdict> verdicts) {
  Comparison comparison;
  for (const Verdict verdict : verdicts) {
    CompareRow row;
    row.verdict = verdict;
    comparison.rows.push_back(row);
  }
  return comparison;
}

GateOptions on(std::set<std::string> names, bool strict = false) {
  return {std::move(names), strict};
}

TEST(Gate, PassesWhatIsNotWorse) {
  EXPECT_EQ(gate(with({Verdict::same, Verdict::improved, Verdict::inconclusive}), {}),
            ExitCode::ok);
}

TEST(Gate, StopsRegressionsMissingAndFailedRows) {
  EXPECT_EQ(gate(with({Verdict::same, Verdict::regression}), {}), ExitCode::worse);
  Comparison missing = with({Verdict::same});
  missing.only_a = {"x"};
  EXPECT_EQ(gate(missing, {}), ExitCode::worse);
  EXPECT_EQ(gate(missing, on({"regression"})), ExitCode::ok);
  Comparison failed = with({Verdict::same});
  failed.failed.push_back({"x", "ok", "failed", "boom", true});
  EXPECT_EQ(gate(failed, {}), ExitCode::worse);
  failed.failed[0].counts = false;
  EXPECT_EQ(gate(failed, {}), ExitCode::ok);
  Comparison fresh = with({Verdict::same});
  fresh.only_b = {"x"};
  EXPECT_EQ(gate(fresh, {}), ExitCode::ok);
}

TEST(Gate, NothingComparedIsAnError) {
  EXPECT_EQ(gate({}, {}), ExitCode::nothing);
  Comparison disjoint;
  disjoint.only_a = {"x"};
  EXPECT_EQ(gate(disjoint, on({"regression"})), ExitCode::nothing);
  EXPECT_EQ(gate(disjoint, {}), ExitCode::worse);  // 1 before 4
}

// Rows without a value on one side were not compared, however many there are.
TEST(Gate, RowsThatCannotBeComparedDoNotCount) {
  Comparison unusable = with({Verdict::inconclusive, Verdict::inconclusive});
  unusable.rows[0].change = std::nan("");
  EXPECT_EQ(gate(unusable, {}), ExitCode::ok);
  EXPECT_EQ(gate(unusable, {.min_rows = 2}), ExitCode::nothing);
  unusable.rows[1].change = std::nan("");
  EXPECT_EQ(gate(unusable, {}), ExitCode::nothing);
  EXPECT_EQ(unusable.verdict(), "NOTHING");
}

TEST(Gate, StopsOtherEnvironmentsWhenAsked) {
  Comparison other = with({Verdict::same});
  other.environment.push_back({"kernel", "1", "2", FactClass::suspect});
  EXPECT_EQ(gate(other, {}), ExitCode::ok);
  EXPECT_EQ(gate(other, on({"env"})), ExitCode::nothing);
  // Facts known on one side only are no difference.
  std::swap(other.environment, other.environment_one_side);
  EXPECT_EQ(gate(other, on({"env"})), ExitCode::ok);
}

TEST(Gate, StrictWantsAnAnswer) {
  const Comparison open = with({Verdict::same, Verdict::inconclusive});
  EXPECT_EQ(gate(open, on({}, true)), ExitCode::inconclusive);
  EXPECT_EQ(gate(open, on({"inconclusive"}, true)), ExitCode::worse);
  EXPECT_EQ(gate(with({Verdict::same}), on({}, true)), ExitCode::ok);
}

TEST(Gate, LargeChangeOfASingleRunCountsAsRegression) {
  Comparison single = with({Verdict::inconclusive});
  single.rows[0].flags = {"single_run", "over_single_run_threshold"};
  EXPECT_EQ(gate(single, {}), ExitCode::worse);
  EXPECT_EQ(gate(single, on({"missing"})), ExitCode::ok);
}

}  // namespace
}  // namespace scalemark::compare
