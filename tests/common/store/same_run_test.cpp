// SPDX-License-Identifier: Apache-2.0
// What --resume takes for the same run, what it refuses, and what it stores where a run moves.
#include "common/store/same_run.hpp"

#include <fstream>
#include <iterator>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/result/sweeps.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/interrupted.hpp"

namespace scalemark {
namespace {

using test::example_case;
using test::example_run;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SameRun : public test::Interrupted {
 protected:
  /// Every file of the folder, by name.
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "")) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path().string()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return files;
  }
  /// The refusal of a launch, which changed nothing.
  std::string refused(const scalemark::Run& launch) const {
    const auto before = content();
    std::string message = refusal(options(true), launch);
    EXPECT_EQ(content(), before) << message;
    return message;
  }
  WriterOptions on_other_hosts() const {
    WriterOptions how = options(true);
    how.resume_hosts = true;
    return how;
  }
  /// The example on another second host, which has a kernel of its own.
  static scalemark::Run moved() {
    scalemark::Run run = example_run();
    run.uuid = "another launch";
    run.ranks[1].node = "n2";
    run.environment.common["kernel"] = "6.2";
    run.environment.differs = {{"cpu MHz", {{"n0", "9999"}, {"n2", "2200"}}}};
    run.machines["c"] = "<topology/>";
    return run;
  }
};

TEST_F(SameRun, AnotherNumberOfRanksIsRefused) {
  interrupt(1);
  scalemark::Run fewer = example_run(), more = example_run();
  fewer.ranks.pop_back();
  fewer.planned.pop_back();  // a consequence: not worth a word
  more.ranks.push_back({2, "n1", 1, "", -1, "", "", ""});
  EXPECT_THAT(refused(fewer), AllOf(HasSubstr("2 ranks, 2 nodes (ranks 0 | 1), 1 device"),
                                    HasSubstr("1 rank, 1 node, 1 device"), HasSubstr("finalize"),
                                    Not(HasSubstr("plan"))));
  EXPECT_THAT(refused(more), HasSubstr("3 ranks, 2 nodes (ranks 0 | 1-2), 1 device"));
}

TEST_F(SameRun, OtherNodesPerRankAndOtherDevicesAreRefused) {
  interrupt(1);
  scalemark::Run one_node = example_run(), devices = example_run(), model = example_run();
  one_node.ranks[1].node = "n0";
  EXPECT_THAT(refused(one_node), AllOf(HasSubstr("2 nodes"), HasSubstr("2 ranks, 1 node,")));
  devices.ranks[1].gpu_uuid = "GPU-2";
  EXPECT_THAT(refused(devices), AllOf(HasSubstr("1 device"), HasSubstr("2 devices")));
  model.ranks[0].gpu_model.clear();  // it does not say, as files of earlier versions
  FileSink sink(options(true));
  EXPECT_NO_THROW(sink.begin(model));
}

TEST_F(SameRun, AnotherModelOfDeviceIsRefused) {
  scalemark::Run begun = example_run(), other = example_run();
  begun.ranks[0].gpu_model = "NVIDIA H200";
  other.ranks[0].gpu_model = "NVIDIA H100";
  FileSink(options()).begin(begun);
  EXPECT_THAT(refused(other), AllOf(HasSubstr("NVIDIA H200"), HasSubstr("NVIDIA H100")));
}

TEST_F(SameRun, AnotherBuildIsRefused) {
  interrupt(1);
  scalemark::Run other = example_run();
  other.producer["git_revision"] = "def";
  EXPECT_THAT(refused(other), AllOf(HasSubstr("another build"), HasSubstr("revision abc"),
                                    HasSubstr("revision def")));
  other = example_run();
  other.producer["git_revision"].clear();  // it does not say
  FileSink sink(options(true));
  EXPECT_NO_THROW(sink.begin(other));
}

TEST_F(SameRun, AnotherProgramOfTheSameRevisionIsAnotherBuild) {
  scalemark::Run begun = example_run(), other = example_run();
  begun.environment.common["program_build_id"] = "0123456789abcdef";
  other.environment.common["program_build_id"] = "fedcba9876543210";
  FileSink(options()).begin(begun);
  EXPECT_THAT(refused(other), AllOf(HasSubstr("build 0123456789ab"), HasSubstr("fedcba987654")));
  other.environment.common["program_build_id"] = "unavailable: linked without --build-id";
  FileSink sink(options(true));
  EXPECT_NO_THROW(sink.begin(other));
}

TEST_F(SameRun, AnotherPlanSaysWhereItDiffers) {
  interrupt(1);
  scalemark::Run other = example_run();
  other.planned[1] = "test/other ranks=2";
  EXPECT_THAT(refused(other), AllOf(HasSubstr("another plan"), HasSubstr(example_case(1).key),
                                    HasSubstr("test/other")));
  other = example_run();
  other.config = "line 1\nline 3\n";
  EXPECT_THAT(refused(other), AllOf(HasSubstr("plan hash"), HasSubstr("now 'line 3'")));
}

TEST_F(SameRun, OtherHostsNeedAWordAndAreStored) {
  interrupt(1);
  EXPECT_THAT(refused(moved()),
              AllOf(HasSubstr("n0 n1"), HasSubstr("n0 n2"), HasSubstr("--resume-hosts")));
  {
    FileSink sink(on_other_hosts());
    sink.begin(moved());
    finish(sink, 1);
    finish(sink, 2);
    sink.end(moved());
  }
  const scalemark::Run whole = read_run(output_);
  EXPECT_EQ(whole.ranks[1].node, "n1") << "where it was begun";
  EXPECT_FALSE(whole.cases[0].facts.contains("hosts"));
  for (const std::size_t index : {1U, 2U}) {
    EXPECT_EQ(whole.cases[index].facts.at("hosts"), Value("n0 n2"));
    const Table& places = whole.cases[index].tables.at("places");
    EXPECT_EQ(places.columns[1].name, "node");
    EXPECT_EQ(std::get<std::vector<std::string>>(places.columns[1].values),
              (std::vector<std::string>{"n0", "n2"}));
  }
  const auto& differs = whole.environment.differs;
  EXPECT_EQ(differs.at("kernel"),
            (std::map<std::string, std::string>{{"n0", "6.1"}, {"n1", "6.1"}, {"n2", "6.2"}}));
  EXPECT_EQ(differs.at("cpu MHz"),
            (std::map<std::string, std::string>{{"n0", "2000"}, {"n1", "2100"}, {"n2", "2200"}}));
  EXPECT_TRUE(whole.environment.common.contains("empty")) << "equal on all three";
  EXPECT_TRUE(whole.machines.contains("c"));
}

TEST_F(SameRun, AnotherDeviceOfTheSameHostsIsStored) {
  interrupt(1);
  scalemark::Run launch = example_run();
  launch.ranks[0].gpu_uuid = "GPU-7";
  FileSink sink(options(true));
  sink.begin(launch);
  finish(sink, 1);
  const CaseResult second = read_run(parts_).cases.at(1);
  EXPECT_FALSE(second.facts.contains("hosts"));
  EXPECT_TRUE(second.tables.contains("places"));
}

TEST_F(SameRun, AStateIsOfItsHosts) {
  interrupt(1);
  const CaseState here{"shared", {"a", "b"}};
  {
    FileSink sink(options(true));
    sink.begin(example_run());
    sink.save(example_case(1), here);
  }
  FileSink sink(on_other_hosts());
  sink.begin(moved());
  EXPECT_FALSE(sink.saved(example_case(1)).has_value());
  sink.save(example_case(1), here);
  EXPECT_TRUE(sink.saved(example_case(1)).has_value());
}

TEST_F(SameRun, SweepsAreNotDividedBetweenHosts) {
  {
    FileSink sink(options());
    sink.begin(example_run());
    CaseResult part = example_case(0);
    sink.started(part);
    mark_sweep(part, 0, 3);
    sink.keep(part);
  }
  const auto before = content();
  EXPECT_THAT(refusal(on_other_hosts(), moved()),
              AllOf(HasSubstr("sweeps"), HasSubstr("n0 n1"), HasSubstr("n0 n2")));
  EXPECT_EQ(content(), before);
}

TEST_F(SameRun, ARedactedRunKnowsItsHosts) {
  WriterOptions redacted = options();
  redacted.redact = true;
  FileSink(redacted).begin(example_run());
  redacted.resume = true;
  EXPECT_NO_THROW(FileSink(redacted).begin(example_run()));
  EXPECT_THAT(refusal(redacted, moved()), AllOf(HasSubstr("--resume-hosts"), Not(HasSubstr("n2"))));
}

TEST_F(SameRun, AFileThatDoesNotSayWhereItWasBegunGoesOn) {
  scalemark::Run unknown = example_run();
  unknown.ranks.clear();
  unknown.producer.clear();
  FileSink(options()).begin(unknown);
  FileSink sink(options(true));
  EXPECT_NO_THROW(sink.begin(example_run()));
  finish(sink, 0);
  EXPECT_FALSE(read_run(parts_).cases.at(0).facts.contains("hosts"));
}

TEST_F(SameRun, AFinishedRunIsNotTidiedByAnother) {
  interrupt(3);
  std::filesystem::copy(parts_, folder_ / "saved");
  {
    FileSink sink(options(true));
    sink.begin(example_run());
    sink.end(example_run());
  }
  std::filesystem::rename(folder_ / "saved", parts_);
  scalemark::Run other = example_run();
  other.ranks.pop_back();
  EXPECT_THAT(refused(other), HasSubstr("2 ranks"));
}

}  // namespace
}  // namespace scalemark
