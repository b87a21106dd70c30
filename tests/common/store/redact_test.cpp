// SPDX-License-Identifier: Apache-2.0
// Redaction: no name, number or path is left in the bytes of a file, and equal names stay equal.
#include "common/store/redact.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/store/reader.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

/// A run whose texts are full of names. Those of the list in NothingIsLeft must not survive.
Run revealing_run() {
  Run run = test::example_run();
  run.ranks[0].node = "blackbird17.cluster.example.org";
  run.ranks[0].gpu_uuid = "GPU-12345678-aaaa-bbbb-cccc-1234567890ab";
  run.ranks[1].node = "qz";
  run.command_line =
      "/home/jdoe/bin/scalemark run -o /scratch/jdoe/x.h5 --peak=/home/jdoe/peak.toml";
  run.config = "preset: /home/jdoe/my.toml\nmicro/memcpy bytes=8 | ci=2\n";
  run.exit_reason = "lost blackbird17";
  run.tags = {{"note", "on qz, by jdoe"}};
  run.producer["flags"] = "-O3 -I/home/jdoe/include";
  run.scheduler = {{"SLURM_JOB_ID", "77"},
                   {"SLURM_JOB_NODELIST", "blackbird[17-18]"},
                   {"SLURM_JOB_USER", "jdoe"},
                   {"SLURM_JOB_ACCOUNT", "proj-secret"},
                   {"PBS_JOBID", "77.pbs.example.net"}};
  run.environment.common = {{"env.LD_LIBRARY_PATH", "/home/jdoe/lib:/opt/lib"},
                            {"kernel", "Linux 6.1.0-qzx"},
                            {"processes_of_other_users", "0"},
                            {"library.hdf5_serial", "libhdf5_serial.so.103"},
                            {"cpu_smt", "0"},
                            {"cpu_model", "AMD EPYC 9654 96-Core"}};
  run.environment.differs = {
      {"cpu_mhz", {{"blackbird17.cluster.example.org", "2000"}, {"qz", "2100"}}}};
  run.environment.raw = {{"smi",
                          "Product Name : NVIDIA H100\nSerial Number : 1650925009999\nGPU UUID : "
                          "GPU-99999999-aaaa-bbbb-cccc-1234567890ab\n"
                          "seen by jdoe\n"},
                         {"hwloc",
                          "<info name=\"DMIBoardSerial\" value=\"XYZ-BOARD-77\"/>\n<info "
                          "name=\"Address\" value=\"0c:42:a1:aa:bb:cc\"/>\n"
                          "<info name=\"NodeGUID\" value=\"0c42:a103:00aa:bbcc\"/>\n"}};
  run.machines = {
      {"like blackbird17",
       "<info name=\"HostName\" value=\"blackbird17\"/>\n<info name=\"DMIProductSerial\" "
       "value=\"CHASSIS-9001\"/>\n"}};
  CaseResult result = test::example_case(0);
  result.tables["telemetry/node"].columns = {
      {"node", "", std::vector<std::string>{"qz", "blackbird17.cluster.example.org"}},
      {"power", "W", std::vector<double>{512.5, 600}}};
  result.tables["telemetry/gpu"].columns = {
      {"gpu_serial", "", std::vector<std::uint64_t>{1650925007777}},
      {"gpu_uuid", "", std::vector<std::string>{"GPU-77777777-aaaa-bbbb-cccc-1234567890ab"}}};
  result.tables["pairs"].columns = {
      {"rank_place", "", std::vector<std::string>{"qz numa 0", "blackbird17.cluster.example.org"}}};
  result.tables["profile"].columns = {
      {"region", "", std::vector<std::string>{"load /home/jdoe/data/set"}}};
  result.status = Status::failed;
  result.reason = "rank 1 on qz: cannot open '/home/jdoe/data/mnist'";
  result.facts = {{"data", "/home/jdoe/data"}, {"images_seen", 5}};
  result.verification.rule = "equal on blackbird17";
  run.cases = {result};
  return run;
}

class Redact : public ::testing::Test {
 protected:
  void SetUp() override { take_secret('a'); }
  void TearDown() override { unsetenv("SCALEMARK_REDACTION_KEY_FILE"); }
  /// Runs that are written from now on have this secret.
  void take_secret(char letter) {
    const std::filesystem::path key = folder_ / "key";
    std::ofstream(key) << std::string(64, letter);
    std::filesystem::permissions(key, std::filesystem::perms(0600));
    setenv("SCALEMARK_REDACTION_KEY_FILE", key.c_str(), 1);
  }
  scalemark::Run redacted(const scalemark::Run& run) {
    test::write_run({.output = folder_ / "a.h5", .force = true, .redact = true}, run);
    return read_run(folder_ / "a.h5");
  }
  std::string bytes() const {
    std::ostringstream content;
    content << std::ifstream(folder_ / "a.h5", std::ios::binary).rdbuf();
    return content.str();
  }
  test::TempDir folder_;
};

TEST_F(Redact, NothingIsLeft) {
  redacted(revealing_run());
  const std::string content = bytes();
  for (const auto* secret :
       {"blackbird", "cluster.example", "jdoe", "/home", "/scratch", "/opt", "proj-secret", "16509",
        "example.net", "12345678-aaaa", "99999999-aaaa", "77777777-aaaa", "XYZ-BOARD",
        "CHASSIS-9001", "0c:42:a1", "0c42:a103"}) {
    EXPECT_EQ(content.find(secret), std::string::npos) << secret;
  }
  EXPECT_THAT(content, HasSubstr("AMD EPYC 9654 96-Core"));
  EXPECT_THAT(content, HasSubstr("NVIDIA H100"));
  // Without --redact they are all there: the texts do reach the file.
  test::write_run({.output = folder_ / "a.h5", .force = true}, revealing_run());
  for (const auto* name :
       {"blackbird17", "jdoe", "proj-secret", "XYZ-BOARD", "CHASSIS", "0c:42:a1", "77777777"})
    EXPECT_THAT(bytes(), HasSubstr(name));
}

TEST_F(Redact, NamesOfTwoLettersAreHiddenInTheirFieldsOnly) {
  const auto run = redacted(revealing_run());
  const std::string host = run.ranks.at(1).node;
  EXPECT_THAT(host, MatchesRegex("host-[0-9a-f]{10}"));
  EXPECT_TRUE(run.environment.differs.at("cpu_mhz").contains(host));
  const auto& places = run.cases.at(0).tables.at("pairs").columns.at(0).values;
  EXPECT_EQ(std::get<std::vector<std::string>>(places),
            (std::vector{host + " numa 0", run.ranks.at(0).node}));
  EXPECT_EQ(run.cases.at(0).reason, "rank 1 on qz: cannot open 'mnist'");
  EXPECT_EQ(run.environment.common.at("kernel"), "Linux 6.1.0-qzx");
}

TEST_F(Redact, NamesAreReplacedAsWholeWordsOnly) {
  auto wanted = revealing_run();
  wanted.exit_reason = "blackbird17 and blackbird170, xblackbird17, blackbird17-ib0, jdoe_2";
  const auto run = redacted(wanted);
  EXPECT_THAT(run.exit_reason, MatchesRegex("host-[0-9a-f]{10} and blackbird170, xblackbird17, "
                                            "host-[0-9a-f]{10}-ib0, jdoe_2"));
  EXPECT_THAT(run.tags.at("note"), MatchesRegex("on qz, by user-[0-9a-f]{10}"));
}

TEST_F(Redact, NumbersAreNoNames) {
  auto wanted = revealing_run();
  wanted.scheduler = {{"SLURM_JOB_USER", "0"},     {"SLURM_JOB_ACCOUNT", "2.11"},
                      {"SLURM_JOB_NAME", "0x100"}, {"SLURM_SUBMIT_HOST", "none"},
                      {"PBS_O_HOST", "12"},        {"PBS_JOBNAME", "600"}};
  wanted.producer = {{"version", "0.1.0"},
                     {"compiler", "GNU 12.2.0"},
                     {"libtorch", "on: LibTorch 2.11.0 in /home/jdoe/libtorch-2.11.0"}};
  wanted.environment.raw = {{"tool", "600 of 0x100 at 12, none by 2.11"}};
  const auto run = redacted(wanted);
  EXPECT_THAT(run.scheduler.at("SLURM_JOB_USER"), HasSubstr("user-"));
  EXPECT_EQ(run.producer.at("version"), "0.1.0");
  EXPECT_EQ(run.producer.at("compiler"), "GNU 12.2.0");
  EXPECT_EQ(run.producer.at("libtorch"), "on: LibTorch 2.11.0 in libtorch-2.11.0");
  EXPECT_EQ(run.environment.raw.at("tool"), wanted.environment.raw.at("tool"));
}

TEST_F(Redact, WhatNamesNobodyStaysWhateverItsFieldIsCalled) {
  auto wanted = revealing_run();
  // A user who is called like a part of everything that follows.
  wanted.scheduler["SLURM_JOB_USER"] = "mpi";
  wanted.config =
      "preset: quick\nmicro/barrier backend=mpi ranks=2 | iterations=auto time=0..0.3\n";
  const auto run = redacted(wanted);
  for (const char* fact :
       {"processes_of_other_users", "library.hdf5_serial", "cpu_smt", "cpu_model"})
    EXPECT_EQ(run.environment.common.at(fact), wanted.environment.common.at(fact)) << fact;
  EXPECT_EQ(run.config, wanted.config);
  EXPECT_EQ(run.format_version, wanted.format_version);
  EXPECT_EQ(run.scheduler.at("SLURM_JOB_ID"), "77");
}

TEST_F(Redact, XmlStaysXml) {
  auto wanted = revealing_run();
  const std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
      "<topology version=\"2.0\">\n  <object type=\"Machine\" os_index=\"0\">\n"
      "    <info name=\"OSVersion\" value=\"#1 SMP @0\"/>\n"
      "    <info name=\"HostName\" value=\"{}\"/>\n"
      "    <info name=\"CPUModel\" value=\"AMD EPYC\"/>\n  </object>\n</topology>\n";
  wanted.machines = {{"kind1", fmt::format(fmt::runtime(xml), "blackbird17.cluster.example.org")}};
  const auto run = redacted(wanted);
  EXPECT_EQ(run.machines.at("kind1"), fmt::format(fmt::runtime(xml), run.ranks.at(0).node));
}

TEST_F(Redact, EqualNamesStayEqualAndTextsReadable) {
  const auto run = redacted(revealing_run());
  EXPECT_EQ(run.machines.begin()->first, "like " + run.exit_reason.substr(5));
  EXPECT_EQ(run.cases.at(0).verification.rule, "equal on " + run.exit_reason.substr(5));
  EXPECT_TRUE(run.environment.differs.at("cpu_mhz").contains(run.ranks.at(0).node));
  EXPECT_NE(run.ranks.at(0).node, run.ranks.at(1).node);
  EXPECT_EQ(run.command_line, "scalemark run -o x.h5 --peak=peak.toml");
  EXPECT_EQ(run.config, "preset: my.toml\nmicro/memcpy bytes=8 | ci=2\n");
  EXPECT_EQ(run.producer.at("flags"), "-O3 -Iinclude");
  EXPECT_EQ(run.environment.common.at("env.LD_LIBRARY_PATH"), "lib:lib");
  EXPECT_EQ(run.scheduler.at("SLURM_JOB_ID"), "77");
}

TEST_F(Redact, NumbersAndKeysStayAsTheyAre) {
  auto wanted = revealing_run();
  const auto run = redacted(wanted);
  EXPECT_EQ(run.planned, wanted.planned);
  CaseResult got = run.cases.at(0);
  got.reason = wanted.cases[0].reason;
  got.facts = wanted.cases[0].facts;
  got.verification.rule = wanted.cases[0].verification.rule;
  got.tables = wanted.cases[0].tables;
  test::expect_equal(got, wanted.cases[0]);
  EXPECT_EQ(std::get<std::int64_t>(run.cases[0].facts.at("images_seen")), 5);
}

TEST_F(Redact, TablesLoseNamesAndNumbersOfDevicesOnly) {
  const auto run = redacted(revealing_run());
  const auto& tables = run.cases.at(0).tables;
  const auto texts = [](const Column& column) {
    return std::get<std::vector<std::string>>(column.values);
  };
  const auto& node = tables.at("telemetry/node").columns;
  EXPECT_EQ(texts(node.at(0)), (std::vector{run.ranks.at(1).node, run.ranks.at(0).node}));
  EXPECT_EQ(std::get<std::vector<double>>(node.at(1).values), (std::vector<double>{512.5, 600}));
  const auto& gpu = tables.at("telemetry/gpu").columns;
  EXPECT_THAT(texts(gpu.at(0)).at(0), HasSubstr("serial-"));
  EXPECT_EQ(texts(tables.at("profile").columns.at(0)).at(0), "load set");
}

TEST_F(Redact, HashesAreStableWithASecret) {
  auto run = revealing_run();
  const std::string first = redacted(run).ranks.at(0).node;
  run.uuid = "another run";
  run.campaign = "autumn";
  EXPECT_EQ(redacted(run).ranks.at(0).node, first);
  take_secret('b');
  EXPECT_NE(redacted(run).ranks.at(0).node, first);
  take_secret('a');
  EXPECT_EQ(redacted(run).ranks.at(0).node, first);
}

// printf 'host\0blackbird17.cluster.example.org' | openssl mac -digest SHA256 -macopt key:aaa...
TEST_F(Redact, HashesAreHmacsOfKindAndName) {
  EXPECT_EQ(redacted(revealing_run()).ranks.at(0).node, "host-26668791ec");
}

TEST_F(Redact, TheFileTellsSecretsApartAndHoldsNone) {
  const std::string first = redacted(revealing_run()).producer.at("redaction");
  EXPECT_THAT(first, MatchesRegex("HMAC-SHA-256, secret [0-9a-f]{10}"));
  EXPECT_EQ(bytes().find(std::string(16, 'a')), std::string::npos);
  take_secret('b');
  EXPECT_NE(redacted(revealing_run()).producer.at("redaction"), first);
}

TEST_F(Redact, TheDomainGoesWithTheHost) {
  auto run = revealing_run();
  run.exit_reason = "blackbird17.other.example.net, node9.cluster.example.org, blackbird17.log";
  EXPECT_THAT(redacted(run).exit_reason,
              MatchesRegex("host-[0-9a-f]{10}, node9.host-[0-9a-f]{10}, host-[0-9a-f]{10}.log"));
}

TEST_F(Redact, TheCampaignKeepsWhatNamesNobody) {
  auto run = revealing_run();
  EXPECT_EQ(redacted(run).campaign, "spring");
  run.campaign = "jdoe-blackbird17.2";
  EXPECT_THAT(redacted(run).campaign, MatchesRegex("user-[0-9a-f]{10}-host-[0-9a-f]{10}.2"));
}

TEST_F(Redact, RelativePathsAreCutWhereOnlyPathsStand) {
  auto run = revealing_run();
  run.tags = {{"a", "jroe/data, ~jroe, jane@x.org"}};
  run.command_line =
      "build/jroe/scalemark run micro/(barrier|memcpy) -a llm/finetune:ranks=2 -ojroe/x.h5 "
      "--data mnist=jroe/m --preset jroe/p.toml --tag a=jroe/data, ~jroe, jane@x.org --quick";
  run.config = "preset: jroe/my.toml\nmicro/memcpy bytes=8 | ci=2\n";
  const auto got = redacted(run);
  EXPECT_THAT(got.tags.at("a"), MatchesRegex("data, user-[0-9a-f]{10}, mail-[0-9a-f]{10}"));
  EXPECT_EQ(got.command_line,
            "scalemark run micro/(barrier|memcpy) -a llm/finetune:ranks=2 -ox.h5 --data mnist=m "
            "--preset p.toml --tag a=" +
                got.tags.at("a") + " --quick");
  EXPECT_EQ(got.config, "preset: my.toml\nmicro/memcpy bytes=8 | ci=2\n");
}

TEST_F(Redact, ARunIsNotResumedWithAnotherSecret) {
  auto run = revealing_run();
  run.cases.clear();
  const WriterOptions options{.output = folder_ / "a.h5", .redact = true};
  FileSink(options).begin(run);
  WriterOptions resumed = options;
  resumed.resume = true;
  take_secret('b');
  try {
    FileSink(resumed).begin(run);
    ADD_FAILURE() << "resumed with another secret";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("was redacted with another secret"));
  }
  take_secret('a');
  EXPECT_NO_THROW(FileSink(resumed).begin(run));
}

TEST_F(Redact, AResumedRunKeepsItsHashes) {
  auto run = revealing_run();
  run.campaign = "";
  run.cases.clear();
  const WriterOptions options{.output = folder_ / "a.h5", .redact = true};
  {
    FileSink sink(options);
    sink.begin(run);
  }
  WriterOptions resumed = options;
  resumed.resume = true;
  FileSink sink(resumed);
  run.uuid = "another launch";
  sink.begin(run);
  CaseResult result = test::example_case(0);
  result.reason = "on " + run.ranks.at(0).node;
  sink.add(result);
  sink.end(run);
  const auto read = read_run(folder_ / "a.h5");
  EXPECT_EQ(read.cases.at(0).reason, "on " + read.ranks.at(0).node);
}

TEST_F(Redact, ThisHostAndUserToo) {
  auto run = test::example_run(0);
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  const passwd* user = getpwuid(getuid());
  ASSERT_NE(user, nullptr);
  run.exit_reason = std::string("seen on ") + host + " by " + user->pw_name + ".";
  const std::string text = redacted(run).exit_reason;
  if (std::string(host) != "localhost" && std::string(host).size() > 2) {
    EXPECT_THAT(text, Not(HasSubstr(std::string("on ") + host)));
  }
  if (user->pw_uid != 0) {
    EXPECT_THAT(text, Not(HasSubstr(std::string("by ") + user->pw_name)));
  }
}

}  // namespace
}  // namespace scalemark
