// SPDX-License-Identifier: Apache-2.0
// Simulated collectives beside LogGOPSim's figures, and beside sums made by hand.
#include "common/predict/message_simulator.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::predict {
namespace {

const LogGops kCosts = parse_loggops("L=2500,o=1500,g=1000,G=6,O=0,S=65535");

std::uint64_t time_of(const std::string& algorithm, int ranks, std::uint64_t bytes,
                      const LogGops& costs = kCosts) {
  return std::ranges::max(simulate(make_schedule(algorithm, ranks, bytes), costs));
}

/// From LogGOPSim with these costs.
TEST(MessageSimulator, IsLogGopSimToTheNanosecond) {
  struct Figure {
    const char* algorithm;
    std::uint64_t bytes;
    int ranks;
    std::uint64_t time;
  };
  constexpr std::uint64_t kMiB = 1 << 20;
  const Figure figures[] = {
      {"allreduce_ring", 1024, 2, 17132},         {"allreduce_ring", 1024, 4, 42180},
      {"allreduce_ring", 1024, 8, 87668},         {"allreduce_ring", kMiB, 2, 6302444},
      {"allreduce_ring", kMiB, 4, 9470148},       {"allreduce_ring", kMiB, 8, 11086964},
      {"allreduce_rabenseifner", 1024, 4, 31192}, {"allreduce_rabenseifner", 1024, 8, 43716},
      {"broadcast_binomial", 1024, 2, 11638},     {"broadcast_binomial", 1024, 4, 23276},
      {"broadcast_binomial", 1024, 8, 34914}};
  for (const Figure& figure : figures)
    EXPECT_EQ(time_of(figure.algorithm, figure.ranks, figure.bytes), figure.time)
        << figure.algorithm << ' ' << figure.bytes << ' ' << figure.ranks;
}

TEST(MessageSimulator, AMessageCostsItsParts) {
  const LogGops each = parse_loggops("L=100000,o=1000,g=10,G=2,O=3");
  // The receiver's CPU takes part in each byte: O is more than G.
  EXPECT_EQ(simulate(make_schedule("broadcast_binomial", 2, 11), each),
            (std::vector<std::uint64_t>{1000 + 10 * 3, 1000 + 100000 + 1000 + 10 * 3}));
  EXPECT_EQ(time_of("barrier_dissemination", 2, 0, each), 1000U + 100000 + 1000);
}

TEST(MessageSimulator, TheInterfaceKeepsMessagesApart) {
  // The root's second message waits g + 99 G behind the start of the first.
  const LogGops costs = parse_loggops("L=0,o=1,g=500,G=10");
  const auto finish = simulate(make_schedule("broadcast_binomial", 4, 100), costs);
  EXPECT_EQ(finish[0], 500U + 990 + 1);
  EXPECT_EQ(finish[1], 500U + 990 + 1 + 1 + 990);
}

TEST(MessageSimulator, ALargeMessageWaitsForItsReceiver) {
  const auto sender_done = [](const char* costs) {
    return simulate(make_schedule("broadcast_binomial", 2, 1000), parse_loggops(costs))[0];
  };
  EXPECT_EQ(sender_done("L=100,o=7,S=1000"), 7U);
  EXPECT_EQ(sender_done("L=100,o=7,S=999"), 7U + 100 + 100);
}

TEST(MessageSimulator, OneRankHasNothingToDo) {
  for (const std::string& algorithm : algorithms())
    EXPECT_EQ(time_of(algorithm, 1, 1000), 0U) << algorithm;
}

TEST(MessageSimulator, WhatWouldTakeHoursIsRefused) {
  EXPECT_THROW(time_of("alltoall_pairwise", 1 << 20, 8), UsageError);
}

TEST(LogGops, IsReadFromItsLetters) {
  const LogGops costs = parse_loggops("S=4K,L=1");
  EXPECT_EQ(costs.latency, 1U);
  EXPECT_EQ(costs.rendezvous, 4096U);
  EXPECT_EQ(costs.overhead, 0U);
  for (const char* wrong : {"", "L", "L=", "L=-1", "L=1.5", "X=1", "L=1,L=2", "L=1,,o=2",
                            "L=9999999999999999999", "l=1"})
    EXPECT_THROW(parse_loggops(wrong), UsageError) << wrong;
}

TEST(MessageSimulator, TimesThatNoNumberHoldsAreRefused) {
  const LogGops slow = parse_loggops("L=2500,o=1500,g=1000,G=1000000000000");
  EXPECT_THROW(simulate(make_schedule("allreduce_ring", 2, std::uint64_t{1} << 40), slow),
               UsageError);
  EXPECT_NO_THROW(simulate(make_schedule("allreduce_ring", 2, 1 << 10), slow));
}

}  // namespace
}  // namespace scalemark::predict
