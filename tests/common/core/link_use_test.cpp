// SPDX-License-Identifier: Apache-2.0
// Which link a case uses, and what its busiest end carries.
#include "common/core/peaks/link_use.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark {
namespace {

LinkChoice between(const std::string& backend, bool on_gpu, int nodes, int ranks = 4) {
  return choose_link({.carrier = Carrier::between_ranks,
                      .backend = backend,
                      .on_gpu = on_gpu,
                      .ranks = ranks,
                      .nodes = nodes});
}

TEST(ChooseLink, BetweenNodesIsTheNetwork) {
  EXPECT_EQ(between("gloo", false, 2).kind, LinkKind::sockets);
  for (const char* backend : {"mpi", "nccl", "c10d"}) {
    for (const bool on_gpu : {false, true}) {
      EXPECT_EQ(between(backend, on_gpu, 2).kind, LinkKind::network) << backend;
      EXPECT_EQ(between(backend, on_gpu, 2).missing, "") << backend;
    }
  }
}

TEST(ChooseLink, WithinANodeGpusHaveLinksAndHostsShareMemory) {
  for (const char* backend : {"nccl", "c10d"})
    EXPECT_EQ(between(backend, true, 1).kind, LinkKind::gpu_to_gpu) << backend;
  for (const char* backend : {"mpi", "gloo", "c10d"}) {
    EXPECT_EQ(between(backend, false, 1).kind, LinkKind::none) << backend;
    EXPECT_EQ(between(backend, false, 1).missing, "no link: shared memory") << backend;
  }
  EXPECT_EQ(between("mpi", true, 1).kind, LinkKind::none);
  EXPECT_EQ(between("mpi", true, 1).missing,
            "which way mpi takes between GPUs of a node is unknown");
  EXPECT_EQ(between("nccl", true, 1, 1).missing, "no link: one rank");
}

TEST(ChooseLink, CopiesGoOverTheGpusSlotOrThroughAMemory) {
  const auto carried = [](Carrier carrier) {
    return choose_link({.carrier = carrier, .backend = "gloo", .ranks = 4, .nodes = 2});
  };
  EXPECT_EQ(carried(Carrier::to_gpu).kind, LinkKind::gpu_to_host);
  EXPECT_EQ(carried(Carrier::host_memory).kind, LinkKind::host_memory);
  EXPECT_EQ(carried(Carrier::device_memory).kind, LinkKind::gpu_memory);
  for (const Carrier one : {Carrier::to_gpu, Carrier::host_memory, Carrier::device_memory})
    EXPECT_EQ(carried(one).missing, "");
}

TEST(ChooseLink, WhatHasNoPeakSaysSo) {
  EXPECT_EQ(choose_link({}).kind, LinkKind::none);
  EXPECT_EQ(choose_link({}).missing, "no peak is known for this kind of work");
  EXPECT_EQ(choose_link({.carrier = Carrier::storage}).kind, LinkKind::none);
  EXPECT_EQ(choose_link({.carrier = Carrier::storage}).missing,
            "no peak is known for storage and page cache");
}

TEST(BusiestEnd, CountsWhatLeavesAndWhatComesApart) {
  const std::vector<int> apart = {0, 1};
  EXPECT_EQ(busiest_end(std::array{Flow{0, 1, 100}}, apart), 100);
  EXPECT_EQ(busiest_end(std::array{Flow{0, 1, 100}, Flow{1, 0, 70}}, apart), 100)
      << "a link carries both ways at once";
  EXPECT_EQ(busiest_end(std::array{Flow{0, 1, 100}}, std::vector{5, 5}), 0) << "the same node";
  const std::vector<int> nodes = {0, 0, 7, 7};
  EXPECT_EQ(busiest_end(std::array{Flow{0, 2, 100}, Flow{1, 3, 100}}, nodes), 200);
  EXPECT_EQ(busiest_end(std::array{Flow{0, 2, 100}, Flow{3, 1, 100}}, nodes), 100);
  EXPECT_EQ(busiest_end(std::array{Flow{0, 1, 100}, Flow{1, 2, 30}}, nodes), 30);
  EXPECT_EQ(busiest_end(std::array{Flow{0, 2, 100}, Flow{1, 2, 50}}, std::vector{0, 1, 2}), 150)
      << "what comes in";
}

double allreduce(int n) { return 2.0 * (n - 1) / n; }
double gathered(int n) { return static_cast<double>(n - 1) / n; }

TEST(CollectiveBytes, EndsAreToACollectiveWhatRanksAre) {
  const std::vector<int> ranks = {0, 1, 2, 3}, nodes = {0, 0, 2, 2};
  EXPECT_DOUBLE_EQ(collective_bytes(1000, allreduce, false, ranks), 1500);
  EXPECT_DOUBLE_EQ(collective_bytes(1000, allreduce, false, nodes), 1000);
  EXPECT_DOUBLE_EQ(collective_bytes(1000, gathered, false, nodes), 500);
  // Each of the two ranks of a node has 500 of its 1000 bytes for the other node.
  EXPECT_DOUBLE_EQ(collective_bytes(1000, gathered, true, nodes), 1000);
  EXPECT_DOUBLE_EQ(collective_bytes(1000, gathered, true, ranks), 750);
  EXPECT_EQ(collective_bytes(1000, allreduce, false, std::vector{3, 3}), 0) << "one node";
  EXPECT_TRUE(std::isnan(collective_bytes(1000, gathered, false, std::vector{0, 0, 2})));
}

}  // namespace
}  // namespace scalemark
