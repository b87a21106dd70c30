// SPDX-License-Identifier: Apache-2.0
// What a campaign's file may say, and which jobs follow.
#include "common/cli/commands/campaign_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

Campaign parse(const std::string& text, const std::filesystem::path& folder = "/c") {
  return parse_campaign(text, "c.toml", folder);
}

const std::string kSmall = R"(
[clusters.here]
scheduler = "mpirun"
[jobs.quick]
preset = "quick"
)";

TEST(Campaign, ASmallFileHasDefaults) {
  const auto all = submissions_of(parse(kSmall));
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].words,
              ElementsAre("mpirun", "--nodes", "1", "--time", "0:30:00", "--repeats", "3",
                          "--output", "/c/campaign/here/quick", "--", "--preset", "quick"));
  EXPECT_EQ(all[0].ranks, 2);
  EXPECT_EQ(all[0].output, "/c/campaign/here/quick/nodes-1");
  EXPECT_DOUBLE_EQ(all[0].node_hours, 0.5);
}

TEST(Campaign, AClustersOptionsReachEachOfItsJobs) {
  const auto all = submissions_of(parse(R"(
output = "../out"
[clusters.c]
scheduler = "slurm"
gpus_per_node = 4
cpus_per_rank = 8
queue = "gpu"
account = "abc"
mpi = "pmix"
container = "a.sif"
scratch = "/local"
modules = ["openmpi", "cuda"]
arguments = ["-v"]
stage = {rgb300 = "/data/rgb300", mnist = "mnist"}
array = true
requeue = true
[jobs.j]
preset = "mine.toml"
arguments = ["-a", "bytes=8"]
nodes = 2
repeats = 5
time = "90m"
)",
                                        "/c/d"));
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(
      all[0].words,
      ElementsAre("slurm", "--nodes", "2", "--gpus-per-node", "4", "--cpus-per-rank", "8", "--time",
                  "1:30:00", "--repeats", "5", "--queue", "gpu", "--account", "abc", "--mpi",
                  "pmix", "--container", "/c/d/a.sif", "--scratch", "/local", "--module", "openmpi",
                  "--module", "cuda", "--stage", "mnist=/c/d/mnist", "--stage",
                  "rgb300=/data/rgb300", "--array", "--requeue", "--output", "/c/out/c/j", "--",
                  "--preset", "/c/d/mine.toml", "-a", "bytes=8", "-v"));
  EXPECT_EQ(all[0].ranks, 8) << "a rank for each GPU";
  EXPECT_DOUBLE_EQ(all[0].node_hours, 15) << "five jobs of two nodes";
}

TEST(Campaign, ImagesOfDockerAndPodmanAreNoFiles) {
  for (const std::string image : {"docker:a/b:1", "podman:a/b:1"}) {
    std::string file = kSmall;
    file.insert(file.find("[clusters.here]") + 15, "\ncontainer = \"" + image + "\"");
    EXPECT_THAT(submissions_of(parse(file))[0].words, Contains(image));
  }
}

TEST(Campaign, JobsAreThoseOfTheClusterThatHasTheNodes) {
  const auto all = submissions_of(parse(R"(
nodes = [4, 1, 1]
[clusters.small]
scheduler = "pbs"
max_nodes = 2
[clusters.large]
scheduler = "flux"
[jobs.both]
benchmarks = ["micro/a", "micro/b"]
[jobs.one]
preset = "quick"
clusters = ["large"]
nodes = 8
)"));
  std::vector<std::string> jobs;
  for (const CampaignSubmission& one : all)
    jobs.push_back(one.cluster + " " + one.job + " " + std::to_string(one.nodes));
  EXPECT_THAT(jobs, ElementsAre("small both 1", "large both 1", "large both 4", "large one 8"));
  EXPECT_THAT(std::vector(all[0].words.end() - 2, all[0].words.end()),
              ElementsAre("micro/a", "micro/b"));
}

TEST(Campaign, TheBaselineIsAFileOrTheSameJobOfAnEarlierCampaign) {
  const test::TempDir folder;
  std::filesystem::create_directories(folder / "old/here/quick/nodes-1");
  std::ofstream(folder / "base.h5") << "x";
  const std::string jobs = kSmall + "[jobs.new]\npreset = \"quick\"\n";
  const auto files = submissions_of(parse("baseline = \"base.h5\"\n" + jobs, folder.path()));
  const auto earlier = submissions_of(parse("baseline = \"old\"\n" + jobs, folder.path()));
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[0].baseline, folder / "base.h5");
  EXPECT_EQ(files[1].baseline, folder / "base.h5");
  EXPECT_EQ(earlier[0].baseline, folder / "old/here/quick/nodes-1");
  EXPECT_THAT(earlier[1].baseline.string(), IsEmpty()) << "it has no such job";
  EXPECT_THAT(earlier[1].words, Not(Contains("--baseline")));
}

TEST(Campaign, WhatDoesNotBelongThereIsNamedWithItsLine) {
  struct Bad {
    std::string text, said;
  };
  const std::string cluster = "[clusters.a]\nscheduler = \"slurm\"\n";
  const std::string job = "[jobs.b]\npreset = \"quick\"\n";
  for (const Bad& bad : std::vector<Bad>{
           {"", "c.toml:1: the file needs parts [clusters.NAME]"},
           {cluster, "the file needs parts [jobs.NAME]"},
           {"repeat = 3\n" + cluster + job, "c.toml:1: unknown key 'repeat' (did you mean repeats"},
           {"repeats = 0\n" + cluster + job, "whole numbers from 1 to 1000"},
           {"repeats = 1e3\n" + cluster + job, "whole numbers from 1 to 1000"},
           {"nodes = []\n" + cluster + job, "'nodes' is not allowed; allowed: at least one number"},
           {"nodes = [1, -1]\n" + cluster + job, "'nodes' is not allowed"},
           {"time = \"soon\"\n" + cluster + job, "c.toml:1: 'time' is not allowed"},
           {"time = \"1e300h\"\n" + cluster + job, "'time' is not allowed"},
           {"output = \"a\\nb\"\n" + cluster + job, "without control characters"},
           {"output = \"a\\u0000b\"\n" + cluster + job, "without control characters"},
           {"baseline = \"none\"\n" + cluster + job, "'baseline' is not allowed"},
           {"[clusters.a]\nscheduler = \"sge\"\n" + job, "c.toml:2: 'scheduler' is not allowed"},
           {"[clusters.a]\nqueue = \"x\"\n" + job, "c.toml:1: 'scheduler' is not allowed"},
           {"[clusters.\"../a\"]\nscheduler = \"slurm\"\n" + job, "'../a' is no part"},
           {cluster + "ranks_per_node = 5000\n" + job, "whole numbers from 1 to 4096"},
           {cluster + "array = 1\n" + job, "true or false"},
           {cluster + "modules = \"a\"\n" + job, "an array of texts"},
           {cluster + "stage = {\"a b\" = \"/x\"}\n" + job, "names of data sets"},
           {cluster + "[jobs.b]\nnodes = 1\n", "a job needs a 'preset' or 'benchmarks'"},
           {cluster + job + "clusters = [\"c\"]\n", "'clusters' is not allowed; allowed: a"},
           {cluster + "jobs = 3\n", "unknown key 'jobs'"},
           {"jobs = 3\n" + cluster, "the file needs parts [jobs.NAME]"}}) {
    try {
      parse(bad.text);
      ADD_FAILURE() << "taken: " << bad.text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(bad.said)) << bad.text;
    }
  }
}

TEST(Campaign, MoreJobsThanAnyoneSubmitsAreRefused) {
  std::string text = "nodes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";
  for (int i = 0; i < 40; ++i)
    text += "[clusters.c" + std::to_string(i) + "]\nscheduler = \"slurm\"\n";
  for (int i = 0; i < 30; ++i) text += "[jobs.j" + std::to_string(i) + "]\npreset = \"quick\"\n";
  EXPECT_THROW(parse(text), UsageError);
}

TEST(Campaign, TheExamplesAreSome) {
  for (const char* const path :
       {"/jobscripts/campaign.toml", "/examples/gpu-infiniband/campaign.toml"}) {
    const Campaign campaign = read_campaign(std::string(SCALEMARK_SOURCE_DIR) + path);
    EXPECT_THAT(campaign.clusters, SizeIs(2));
    EXPECT_FALSE(submissions_of(campaign).empty());
  }
}

}  // namespace
}  // namespace scalemark::cli
