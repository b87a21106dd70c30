// SPDX-License-Identifier: Apache-2.0
// Which facts are compared, and how.
#include "common/compare/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names(const std::vector<EnvironmentDifference>& differences) {
  std::vector<std::string> facts;
  for (const EnvironmentDifference& one : differences) facts.push_back(one.fact);
  return facts;
}

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
  const Facts a1 = {{"kernel", "6.1"},
                    {"cpu_model", "X"},
                    {"load_average", "0.1"},
                    {"os", "12"},
                    {"mpi_library", "M"}},
              a2 = a1, b1 = {{"kernel", "6.2"}, {"cpu_model", "Y"},   {"load_average", "9.9"},
                             {"os", "12"},      {"mpi_library", "M"}, {"env.UCX_TLS", "tcp"}};
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

TEST(EnvironmentDifferences, AreNotWhatOneSideDoesNotKnow) {
  const Facts a = {{"kernel", "6.1"}, {"cpu_boost", "unavailable: boost"}, {"cpu_governor", "-"}},
              b = {{"kernel", "6.1"},
                   {"cpu_boost", "unavailable: /sys/devices/system/cpu/cpufreq/boost"},
                   {"cpu_governor", "powersave"},
                   {"cpu_model", "X"},
                   {"glibc", "2.36"},
                   {"load_average", "3"}};
  const std::vector<const Facts*> left = {&a}, right = {&b};
  EXPECT_THAT(environment_differences(left, right), IsEmpty());
  EXPECT_THAT(names(facts_of_one_side(left, right)),
              ElementsAre("cpu_model", "cpu_governor", "glibc"));
  EXPECT_EQ(facts_of_one_side(right, left)[2].a, "2.36");
  EXPECT_EQ(facts_of_one_side(right, left)[2].b, "-");
  // One run of a side suffices to know a value.
  const Facts c = {{"cpu_governor", "performance"}};
  const std::vector<const Facts*> mixed = {&a, &c};
  EXPECT_THAT(names(environment_differences(mixed, right)), ElementsAre("cpu_governor"));
  EXPECT_EQ(environment_differences(mixed, right)[0].a, "performance");
}

// A run that looked for variables, libraries and GPUs is known not to have the missing ones.
TEST(EnvironmentDifferences, SeeWhatARunHadNotAtAll) {
  const Facts own = {{"mpi_library", "Open MPI 4.1"}, {"library.mpi", "libmpi.so.40"}},
              imported = {{"measured_by", "OSU 7.4"}},
              rich = {{"mpi_library", "Open MPI 4.1"},
                      {"library.mpi", "libmpi.so.40"},
                      {"library.gdrapi", "libgdrapi.so.2"},
                      {"env.NCCL_ALGO", "Tree"},
                      {"gpu_model", "H200"}};
  const std::vector<const Facts*> a = {&own}, b = {&rich}, foreign = {&imported};
  EXPECT_THAT(names(environment_differences(a, b)),
              ElementsAre("gpu_model", "env.NCCL_ALGO", "library.gdrapi"));
  EXPECT_THAT(facts_of_one_side(a, b), IsEmpty());
  EXPECT_THAT(environment_differences(foreign, b), IsEmpty());
  EXPECT_EQ(facts_of_one_side(foreign, b).size(), 6U);
}

TEST(EnvironmentDifferences, AreNotWhatNeverRepeats) {
  std::vector<Facts> runs;
  for (int i = 0; i < 6; ++i) {
    runs.push_back({{"env.SLURM_JOB_ID", std::to_string(101 + i)},
                    {"env.NCCL_COMM_ID", "10.0.0.1:4711" + std::to_string(i)},
                    {"started_at", "2026-01-31T12:00:0" + std::to_string(i)},
                    {"boot", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1" + std::to_string(i)},
                    {"env.MY_TICKET", std::to_string(77001 + 13 * i)},
                    {"rank_cores", i < 3 ? "0; 1" : "2; 3"},
                    {"env.UCX_RNDV_THRESH", i < 3 ? "8192" : "16384"},
                    {"program_build_id", i < 3 ? "7faca809" : "88aa1234"}});
  }
  const std::vector<const Facts*> a = {&runs[0], &runs[1], &runs[2]},
                                  b = {&runs[3], &runs[4], &runs[5]};
  EXPECT_THAT(names(environment_differences(a, b)),
              ElementsAre("env.UCX_RNDV_THRESH", "program_build_id", "rank_cores"));
  // With two runs it is unknown whether a number repeats; a UUID or a time is recognised by its
  // form.
  const std::vector<const Facts*> one = {&runs[0]}, other = {&runs[1]};
  EXPECT_THAT(names(environment_differences(one, other)), ElementsAre("env.MY_TICKET"));
  EXPECT_FALSE(is_identifier("library.hdf5_serial", {"libhdf5_serial.so.103"}));
}

TEST(EnvironmentFacts, OfAnImportedRunAreNotThoseOfTheImporter) {
  scalemark::Run run = test::run_of("u", {});
  EXPECT_EQ(environment_facts(run).at("measured_by"), "Scalemark");
  run.producer["imported_from"] = "OSU";
  run.environment.common["measured_by"] = "OSU 7.4";
  const Facts facts = environment_facts(run);
  EXPECT_EQ(facts.at("measured_by"), "OSU 7.4");
  EXPECT_FALSE(facts.contains("program.version"));
}

TEST(FactClass, KnowsWhatALauncherTellsItsProcesses) {
  EXPECT_EQ(class_of("env.OMPI_MCA_orte_jobfam_session_dir"), FactClass::noise);
  EXPECT_EQ(class_of("env.OMPI_MCA_ess_base_jobid"), FactClass::noise);
  EXPECT_EQ(class_of("env.OMPI_MCA_btl"), FactClass::suspect);
  EXPECT_EQ(class_of("ranks"), FactClass::identity);
}

}  // namespace
}  // namespace scalemark::compare
