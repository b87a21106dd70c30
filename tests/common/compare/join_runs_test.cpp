// SPDX-License-Identifier: Apache-2.0
// Parts of a run are joined; a run given twice is refused.
#include "common/compare/join_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/compare/compare.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunDigest imported(const std::string& uuid, const std::string& name, const std::string& side,
                   const std::string& benchmark) {
  scalemark::Run run = test::run_of(uuid, {test::measured(benchmark, 8, {1000})});
  run.producer["imported_from"] = "JSON Lines";
  run.tags["run"] = name;
  if (!side.empty()) run.tags["side"] = side;
  run.environment.common["of_" + uuid] = "1";
  return digest(run, uuid + ".h5");
}

TEST(JoinRuns, JoinsPartsOfOneNameAndNoOthers) {
  std::vector<RunDigest> runs = {imported("u1", "1", "", "m/x"), imported("u2", "2", "", "m/x"),
                                 imported("u3", "1", "", "m/y"), imported("u4", "1", "b", "m/y"),
                                 imported("u5", "1", "", "m/x")};
  EXPECT_THAT(join_runs(runs), ElementsAre(0, 1, 0, 2, 3));
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_THAT(runs[0].keys, ElementsAre("m/x bytes=8 ranks=2", "m/y bytes=8 ranks=2"));
  EXPECT_EQ(runs[0].rows.size(), 2U);
  EXPECT_EQ(runs[0].finished, 2U);
  EXPECT_EQ(runs[0].planned, 2U);
  EXPECT_EQ(runs[0].environment.count("of_u3"), 1U);
  EXPECT_THAT(runs[0].label, HasSubstr("u3.h5"));
  EXPECT_EQ(runs[1].rows.size(), 1U);
}

TEST(JoinRuns, LeavesRunsOfOurOwnApartWhateverTheirTags) {
  scalemark::Run one = test::run_of("u1", {test::measured("m/x", 8, {1000})}), other = one;
  other.uuid = "u2";
  other.cases = {test::measured("m/y", 8, {1000})};
  one.tags["run"] = other.tags["run"] = "1";
  std::vector<RunDigest> runs = {digest(one, "a"), digest(other, "b")};
  EXPECT_THAT(join_runs(runs), ElementsAre(0, 1));
  // Recognised by the equal uuid.
  other.uuid = "u1";
  runs = {digest(one, "a"), digest(other, "b")};
  EXPECT_THAT(join_runs(runs), ElementsAre(0, 0));
}

TEST(JoinRuns, APartIsIncompleteForAll) {
  std::vector<RunDigest> runs = {imported("u1", "1", "", "m/x"), imported("u2", "1", "", "m/y")};
  runs[1].complete = false;
  join_runs(runs);
  EXPECT_FALSE(runs[0].complete);
}

TEST(RefuseRepeats, FindsRunsAndPartsGivenTwice) {
  std::vector<RunDigest> a = {imported("u1", "1", "", "m/x"), imported("u2", "1", "", "m/y")},
                         b = {imported("u2", "1", "", "m/y")};
  join_runs(a);
  ASSERT_EQ(a.size(), 1U);
  EXPECT_THROW(compare(a, b), UsageError);
  std::vector<RunDigest> twice = {imported("u1", "1", "", "m/x"), imported("u1", "1", "", "m/x")};
  join_runs(twice);
  EXPECT_EQ(twice.size(), 2U);
  std::map<std::string, std::string> seen;
  EXPECT_THROW(refuse_repeats(twice, seen), UsageError);
}

}  // namespace
}  // namespace scalemark::compare
