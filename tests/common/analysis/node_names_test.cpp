// SPDX-License-Identifier: Apache-2.0
// Hosts that call themselves otherwise than Slurm does.
#include "common/analysis/node_names.hpp"

#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

using Names = std::vector<std::string>;

TEST(NodeNames, AListedNameStandsForOneWithAnotherDomain) {
  const Names listed{"n1", "n2", "n3.ice", "n4.ice", "n4.fire"};
  const NodeNames names(listed);
  EXPECT_EQ(names.of("n1.cluster.example"), "n1");
  EXPECT_EQ(names.of("n3"), "n3.ice");
  EXPECT_EQ(names.of("n4.fire"), "n4.fire");
  EXPECT_EQ(names.of("n4"), "n4") << "of two nobody knows which";
  EXPECT_EQ(names.of("other.example"), "other.example");
  EXPECT_EQ(NodeNames({}).of("n1.cluster"), "n1.cluster");
}

TEST(NodeNames, RanksFactsAndTablesAreRenamed) {
  const Names listed{"n1", "n2"};
  const NodeNames names(listed);
  scalemark::Run run;
  run.ranks.resize(1);
  run.ranks[0].node = "n1.cluster";
  run.environment.differs["cpu_model"] = {{"n1.cluster", "a"}, {"n2.cluster", "b"}};
  names.rename(run);
  EXPECT_EQ(run.ranks[0].node, "n1");
  EXPECT_EQ(run.environment.differs["cpu_model"],
            (std::map<std::string, std::string>{{"n1", "a"}, {"n2", "b"}}));

  CaseResult result;
  result.tables["pairs"].columns = {{"rank_place", "", Names{"n1.cluster numa 0"}},
                                    {"peer_place", "", Names{"n2.cluster"}},
                                    {"note", "", Names{"n1.cluster"}}};
  result.tables["telemetry/gpu"].columns = {{"node", "", Names{"n2.cluster"}}};
  names.rename(result);
  const auto text = [&](const char* table, std::size_t column) {
    return std::get<Names>(result.tables[table].columns[column].values).front();
  };
  EXPECT_EQ(text("pairs", 0), "n1 numa 0");
  EXPECT_EQ(text("pairs", 1), "n2");
  EXPECT_EQ(text("pairs", 2), "n1.cluster") << "no host";
  EXPECT_EQ(text("telemetry/gpu", 0), "n2");
}

}  // namespace
}  // namespace scalemark::analysis
