// SPDX-License-Identifier: Apache-2.0
// What ranks hold together: shared memory, giving back together, host memory beside a device's.
#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "common/core/case.hpp"
#include "common/core/runner.hpp"
#include "common/core/session.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark {
namespace {

class KeepingSink final : public ResultSink {
 public:
  void begin(const Run&) override {}
  void started(const CaseResult&) override {}
  void phase(const CaseResult&) override {}
  void add(const CaseResult& result) override { results.push_back(result); }
  void end(const Run&) override {}
  std::vector<CaseResult> results;
};

std::string reason;  ///< of the last case, on rank 0

RunOutcome run(Benchmark::Function function, std::uint64_t host_memory = 0) {
  SessionOptions options;
  options.placement = topology::Policy::none;
  Session session(test::world(), options);
  Registry registry;
  registry.add(Benchmark("test/share", function)).host_memory([=](const Params&) {
    return host_memory;
  });
  KeepingSink sink;
  Runner runner(session, sink, {});
  const RunOutcome outcome = runner.run(make_plan(registry, {}, session.context()));
  reason = sink.results.empty() ? "" : sink.results[0].reason;
  return outcome;
}

bool root() { return test::world().rank() == 0; }

TEST(Share, RanksWithoutANumaNodeShareOverTheirNode) {
  const auto function = [](Case& c) {
    mpi::SharedWindow window = c.share(100);
    EXPECT_EQ(window.ranks().size(), c.size());
    window.bytes()[static_cast<std::size_t>(c.rank())] = static_cast<std::uint8_t>(c.rank() + 1);
    window.publish();
    for (int rank = 0; rank < c.size(); ++rank)
      EXPECT_EQ(window.bytes()[static_cast<std::size_t>(rank)], rank + 1);
  };
  EXPECT_EQ(run(function).ok, 1U) << reason;
}

TEST(Share, WhatDoesNotFitEndsTheCaseOnAllRanks) {
  if (test::world().size() == 1) return;  // plain memory
  EXPECT_EQ(run([](Case& c) { c.share(std::size_t{1} << 50); }).oom, 1U);
  if (root()) {
    EXPECT_NE(reason.find("shared window"), std::string::npos) << reason;
  }
}

std::atomic<int> undone{0};

/// The last rank fails; all give back, and the reason is that rank's.
TEST(Attempt, UndoesOnAllRanksWhatFailedOnOne) {
  undone = 0;
  const auto function = [](Case& c) {
    mpi::SharedWindow window = c.share(1 << 20);
    const auto work = [&] {
      if (c.rank() == c.size() - 1) throw Error("this one cannot");
    };
    c.attempt(work, [&] {
      EXPECT_EQ(std::uncaught_exceptions(), 0) << "a collective is safe here";
      window = {};
      ++undone;
    });
    ADD_FAILURE() << "rank " << c.rank() << " went on";
  };
  EXPECT_EQ(run(function).failed, 1U);
  EXPECT_EQ(undone, 1);
  if (root()) {
    EXPECT_NE(reason.find("this one cannot"), std::string::npos) << reason;
  }
  undone = 0;
  EXPECT_EQ(run([](Case& c) { c.attempt([] {}, [] { ++undone; }); }).ok, 1U);
  EXPECT_EQ(undone, 0);
}

TEST(HostMemory, IsRequiredBesideTheDevices) {
  const auto function = [](Case&) {};
  EXPECT_EQ(run(function, 1 << 20).ok, 1U);
  EXPECT_EQ(run(function, std::uint64_t{1} << 50).oom, 1U);
  if (root()) {
    EXPECT_NE(reason.find("needs 1 PiB a rank"), std::string::npos) << reason;
  }
}

}  // namespace
}  // namespace scalemark
