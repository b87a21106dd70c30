// SPDX-License-Identifier: Apache-2.0
// Which facts are compared and how.
#include "common/report/environment.hpp"

#include <gtest/gtest.h>

#include "tests/common/report/synthetic.hpp"

namespace scalemark::report {
namespace {

using Facts = std::map<std::string, std::string>;

TEST(EnvironmentFacts, JoinNodesAndAddTheJob) {
  scalemark::Run run = test::run_of("u", {});
  run.environment.common["kernel"] = "Linux 6.1";
  run.environment.differs["cpu_governor"] = {
      {"n1", "powersave"}, {"n2", "performance"}, {"n3", "powersave"}};
  run.producer["git_revision"] = "abc";
  const Facts facts = environment_facts(run);
  EXPECT_EQ(facts.at("kernel"), "Linux 6.1");
  EXPECT_EQ(facts.at("cpu_governor"), "performance, powersave");
  EXPECT_EQ(facts.at("ranks"), "2");
  EXPECT_EQ(facts.at("nodes"), "1");
  EXPECT_EQ(facts.at("rank_cores"), "0; 1");
  EXPECT_EQ(facts.at("program.git_revision"), "abc");
}

TEST(EnvironmentFacts, AreCleanedForTheTerminal) {
  scalemark::Run run = test::run_of("u", {});
  run.environment.common["x\x1b[2J"] = "a\nb\x1b[31m";
  EXPECT_EQ(environment_facts(run).at("x?[2J"), "a?b?[31m");
}

TEST(EnvironmentDifferences, ShowIdentityFirstAndNoNoise) {
  const Facts a1 = {{"kernel", "6.1"}, {"cpu_model", "X"}, {"load_average", "0.1"}, {"os", "12"}},
              a2 = a1,
              b1 = {{"kernel", "6.2"},
                    {"cpu_model", "Y"},
                    {"load_average", "9.9"},
                    {"os", "12"},
                    {"env.UCX_TLS", "tcp"}};
  const std::vector<const Facts*> a = {&a1, &a2}, b = {&b1};
  const auto differences = environment_differences(a, b);
  ASSERT_EQ(differences.size(), 3U);
  EXPECT_EQ(differences[0].fact, "cpu_model");
  EXPECT_EQ(differences[0].fact_class, FactClass::identity);
  EXPECT_EQ(differences[1].fact, "env.UCX_TLS");
  EXPECT_EQ(differences[1].a, "-");
  EXPECT_EQ(differences[1].b, "tcp");
  EXPECT_EQ(differences[2].fact, "kernel");
  EXPECT_EQ(differences[2].a, "6.1");
}

TEST(EnvironmentDifferences, SeeAMixedSide) {
  const Facts x = {{"kernel", "6.1"}}, y = {{"kernel", "6.2"}};
  const std::vector<const Facts*> mixed = {&x, &y}, pure = {&y};
  const auto differences = environment_differences(mixed, pure);
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].a, "6.1 | 6.2");
  EXPECT_TRUE(environment_differences(mixed, mixed).empty());
}

TEST(FactClass, KnowsWhatALauncherTellsItsProcesses) {
  EXPECT_EQ(class_of("env.OMPI_MCA_orte_jobfam_session_dir"), FactClass::noise);
  EXPECT_EQ(class_of("env.OMPI_MCA_ess_base_jobid"), FactClass::noise);
  EXPECT_EQ(class_of("env.OMPI_MCA_btl"), FactClass::suspect);
  EXPECT_EQ(class_of("ranks"), FactClass::identity);
}

}  // namespace
}  // namespace scalemark::report
