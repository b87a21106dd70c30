// SPDX-License-Identifier: Apache-2.0
// Names and descriptions of the sides of a comparison.
#include "common/compare/sides.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(SideNames, AreTheFoldersOfTheSides) {
  EXPECT_THAT(side_names({"base/run-1.h5", "base/run-2.h5"}, {"new/run-1.h5", "new/run-2.h5"}),
              Pair("base", "new"));
  EXPECT_THAT(side_names({"/data/old/results/run-1.h5"}, {"/data/new/results/run-1.h5"}),
              Pair("old", "new"));
  EXPECT_THAT(side_names({"base/mon/run.h5", "base/tue/run.h5"}, {"new/run-1.h5", "new/run-2.h5"}),
              Pair("base", "new"));
}

TEST(SideNames, AreTheFilesOfSingleRuns) {
  EXPECT_THAT(side_names({"old.h5"}, {"new.h5"}), Pair("old", "new"));
  EXPECT_THAT(side_names({"x/old.h5.parts"}, {"x/new.h5"}), Pair("old", "new"));
  EXPECT_THAT(side_names({"base.h5"}, {"new/run-1.h5", "new/run-2.h5"}), Pair("base", "new"));
}

TEST(SideNames, AreWhatTheFilesOfOneFolderBeginWith) {
  EXPECT_THAT(side_names({"all/base-1.h5", "all/base-2.h5"}, {"all/new-1.h5", "all/new-2.h5"}),
              Pair("base", "new"));
}

TEST(SideNames, AreEmptyWhereNothingTellsTheSidesApart) {
  EXPECT_THAT(side_names({"run-1.h5", "run-2.h5"}, {"run-3.h5", "run-4.h5"}), Pair("", ""));
  EXPECT_THAT(side_names({"./run-1.h5"}, {"run-2.h5"}), Pair("", ""));
  EXPECT_THAT(side_names({}, {"new.h5"}), Pair("", ""));
}

TEST(SideNames, AreShortAndPrintable) {
  const auto [a, b] = side_names({"\x1b[31mred/run-1.h5"}, {std::string(200, 'x') + "/run-1.h5"});
  EXPECT_EQ(a.find('\x1b'), std::string::npos);
  EXPECT_LE(b.size(), 34U);
}

TEST(SideFacts, HaveHostsTimesAndRevisions) {
  std::vector<RunDigest> runs;
  for (const char* uuid : {"one", "two"}) runs.push_back(test::digest_of(uuid, {}));
  runs[1].nodes = "node2 node3 node4";
  runs[1].started = "2026-02-01T09:30:00.000Z";
  runs[0].environment["program.git_revision"] = "0123456789abcdef0123";
  const SideFacts side = side_facts(runs);
  EXPECT_THAT(side.hosts, ElementsAre("node1", "node2", "node3", "node4"));
  EXPECT_THAT(side.revisions, ElementsAre("0123456789"));
  EXPECT_EQ(describe_side(side, 2),
            "2 runs on node1, node2, node3 and 1 more, 2026-01-31 12:00 UTC to 2026-02-01, "
            "revision 0123456789");
}

TEST(SideFacts, SayOnlyWhatIsKnown) {
  EXPECT_EQ(describe_side({}, 1), "1 run");
  SideFacts named;
  EXPECT_EQ(named.title("A"), "A");
  EXPECT_EQ(named.called("A"), "A");
  named.name = "base";
  EXPECT_EQ(named.title("A"), "A (base)");
  EXPECT_EQ(named.called("A"), "base");
}

}  // namespace
}  // namespace scalemark::compare
