// SPDX-License-Identifier: Apache-2.0
// A probe and its file, on a device made up of host memory: what is found stands in the file, and
// another session believes it.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/collective/device_probe.hpp"
#include "common/core/cuda_aware/cuda_probe.hpp"
#include "tests/common/collective/fake_gpu.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark {
namespace {

using State = Finding::State;

/// Fails, or loses a byte, once so many copies were made.
class FailingGpu final : public test::FakeGpu {
 public:
  void copy(void* to, const void* from, std::size_t bytes, device::Stream& stream) override {
    ++copies;
    if (copies == 1 && look) look();
    if (copies > fails_after) throw Error("the device is lost");
    FakeGpu::copy(to, from, bytes, stream);
    if (!loses || bytes != 4096 || !is_device_memory(from)) return;
    stream.synchronize();
    *static_cast<unsigned char*>(to) ^= 1U;
  }
  std::int64_t copies = 0, fails_after = std::numeric_limits<std::int64_t>::max();
  bool loses = false;
  std::function<void()> look;  ///< before the first copy
};

SessionOptions unbound() {
  SessionOptions options;
  options.placement = hardware::Policy::none;
  return options;
}

class CudaProbe : public testing::Test {
 protected:
  CudaProbe() {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() /
        ("scalemark-test-" + test::world().broadcast(std::to_string(getpid())));
    folder_ = folder;
    place_.subject.library = "MPI of the test";
    place_.subject.node = "here";
    place_.reach = {.nodes = {"here"}, .within_node = true};
    place_.file = folder / "cache" / proof_name(place_.subject);
  }
  ~CudaProbe() override {
    test::world().barrier();
    std::error_code ignored;
    if (test::world().rank() == 0) std::filesystem::remove_all(folder_, ignored);
    test::world().barrier();
  }
  ProbeOutcome probe() { return probe_and_record(session_, place_, gpu_, stream_); }
  Findings known() { return known_findings(session_, place_); }
  static void expect_states(const Findings& findings, const std::vector<State>& states) {
    for (std::size_t i = 0; i < states.size(); ++i) EXPECT_EQ(findings[i].state, states[i]) << i;
  }

  std::filesystem::path folder_;
  Session session_{test::world(), unbound()};
  NodeProof place_;
  FailingGpu gpu_;
  test::LazyStream stream_;
};

TEST_F(CudaProbe, WhatItProvesIsBelievedAfterwards) {
  expect_states(known(), std::vector<State>(4, State::not_asked));
  EXPECT_EQ(known()[0].reason, "");
  const ProbeOutcome outcome = probe();
  EXPECT_FALSE(outcome.wrong_data);
  expect_states(outcome.findings, std::vector<State>(4, State::proven));
  EXPECT_EQ(known(), outcome.findings);
  EXPECT_EQ(decide(CudaAware::automatic, mpi::CudaSupport::yes, known()[0]).why,
            "proven " + outcome.findings[0].date.substr(0, 10));
  place_.subject.driver = "another one, of the same name";
  expect_states(known(), std::vector<State>(4, State::not_asked));
  EXPECT_NE(known()[0].reason, "");
}

TEST_F(CudaProbe, WrongBytesAreDisproved) {
  gpu_.loses = test::world().rank() == 0;
  const ProbeOutcome outcome = probe();
  EXPECT_TRUE(outcome.wrong_data);
  expect_states(known(), std::vector<State>(4, State::disproven));
  EXPECT_NE(known()[0].reason.find("message of 4096 B"), std::string::npos) << known()[0].reason;
}

TEST_F(CudaProbe, WhatEndsItLeavesTheUsesBeforeProvenAndNoneBehind) {
  using collective::DeviceUse;
  probe_device_memory(DeviceUse::messages, test::world(), gpu_, stream_);
  probe_device_memory(DeviceUse::collectives, test::world(), gpu_, stream_);
  gpu_.fails_after = 2 * gpu_.copies + 1;
  EXPECT_THROW(probe(), Error);
  test::world().barrier();
  const Findings left = known();
  expect_states(left, {State::proven, State::proven, State::disproven, State::not_asked});
  EXPECT_NE(left[2].reason.find("the device is lost"), std::string::npos) << left[2].reason;
  EXPECT_NE(left[3].reason, "");
}

TEST_F(CudaProbe, ANewProbeBeginsByTakingTheOldProofAway) {
  probe();
  EXPECT_TRUE(std::filesystem::exists(place_.file));
  test::world().barrier();
  bool there = true;
  gpu_.look = [&] {
    there = std::filesystem::exists(place_.file);
    test::world().barrier();
  };
  gpu_.copies = 0;
  gpu_.fails_after = 1;
  EXPECT_THROW(probe(), Error);
  EXPECT_FALSE(there) << "what crashes must leave no proof";
  test::world().barrier();
  expect_states(known(), {State::disproven, State::not_asked, State::not_asked, State::not_asked});
}

TEST_F(CudaProbe, AFileOfSomebodyElsesIsNoProof) {
  if (test::world().rank() == 0) {
    std::filesystem::create_directories(place_.file.parent_path());
    std::ofstream(place_.file) << "{\"format\": \"another\"}";
  }
  test::world().barrier();
  expect_states(known(), std::vector<State>(4, State::not_asked));
  EXPECT_EQ(known()[0].reason, "the file is not a proof");
}

TEST_F(CudaProbe, AFolderThatCannotBeMadeIsFoundOutByAll) {
  if (test::world().rank() == 0) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "cache") << "a file";
  }
  test::world().barrier();
  EXPECT_THROW(probe(), Error);
}

}  // namespace
}  // namespace scalemark
