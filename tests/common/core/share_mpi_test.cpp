// SPDX-License-Identifier: Apache-2.0
// What ranks hold together: shared memory, host memory beside a device's.
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "common/core/case.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark {
namespace {

std::string reason;  ///< of the last case, on rank 0

RunOutcome run(Benchmark::Function function, std::uint64_t host_memory = 0) {
  SessionOptions options;
  options.placement = hardware::Policy::none;
  Session session(test::world(), options);
  Registry registry;
  registry.add(Benchmark("test/share", function)).host_memory([=](const Point&) {
    return host_memory;
  });
  test::KeepingSink sink;
  Runner runner(session, sink, {});
  const RunOutcome outcome = runner.run(make_plan(registry, {}, session.context()));
  reason = sink.results.empty() ? "" : sink.results[0].reason;
  return outcome;
}

bool root() { return test::world().rank() == 0; }

TEST(Share, RanksWithoutANumaNodeShareOverTheirNode) {
  const auto function = [](Case& c) {
    const mpi::SharedWindow& window = c.memory().share(100);
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
  EXPECT_EQ(run([](Case& c) { c.memory().share(std::size_t{1} << 50); }).oom, 1U);
  if (root()) {
    EXPECT_NE(reason.find("shared window"), std::string::npos) << reason;
  }
}

/// Bytes that this process maps together with others, in pieces of 1 MiB and more.
std::uint64_t shared_bytes() {
  std::uint64_t sum = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t from = 0, to = 0;
    char dash = 0;
    std::string rights;
    words >> std::hex >> from >> dash >> to >> rights;
    if (rights == "rw-s" && to - from >= 1 << 20) sum += to - from;
  }
  return sum;
}

std::uint64_t before = 0;  ///< shared_bytes()

/// The last rank fails while it holds a window; nobody keeps it, and the reason is that rank's.
TEST(Share, MemoryIsGivenBackWhereARankFails) {
  if (test::world().size() == 1) return;  // plain memory
  before = shared_bytes();
  const auto function = [](Case& c) {
    const mpi::SharedWindow& window = c.memory().share(64 << 20);
    window.bytes()[static_cast<std::size_t>(c.rank())] = 1;
    EXPECT_GE(shared_bytes(), before + (64 << 20));
    if (c.rank() == c.size() - 1) throw Error("this one cannot");
    c.throw_if_peer_failed();
    ADD_FAILURE() << "rank " << c.rank() << " went on";
  };
  EXPECT_EQ(run(function).failed, 1U);
  EXPECT_LT(shared_bytes(), before + (64 << 20));
  if (root()) {
    EXPECT_NE(reason.find("this one cannot"), std::string::npos) << reason;
  }
}

TEST(HostMemory, IsRequiredBesideTheDevices) {
  const auto function = [](Case&) {};
  EXPECT_EQ(run(function, 1 << 20).ok, 1U);
  EXPECT_EQ(run(function, std::uint64_t{1} << 50).oom, 1U);
  if (root()) {
    EXPECT_NE(reason.find("needs 1 PiB per rank"), std::string::npos) << reason;
  }
}

}  // namespace
}  // namespace scalemark
