// SPDX-License-Identifier: Apache-2.0
// Times of simulated algorithms, whose form must be found again, and predicted on more ranks.
#include "common/predict/collective_form.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/predict/flows.hpp"
#include "common/predict/message_simulator.hpp"
#include "common/predict/network.hpp"
#include "common/predict/schedule.hpp"

namespace scalemark::predict {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

constexpr LogGops kLinks{.latency = 2500, .overhead = 1500, .gap = 1000, .gap_per_byte = 1};

double simulated(const std::string& algorithm, int ranks, std::uint64_t bytes) {
  const std::vector<std::uint64_t> times = simulate(make_schedule(algorithm, ranks, bytes), kLinks);
  return static_cast<double>(*std::ranges::max_element(times)) * 1e-9;
}

std::vector<CollectiveTime> sweep(const std::string& algorithm, const std::vector<int>& ranks) {
  std::vector<CollectiveTime> times;
  for (const int one : ranks) {
    for (std::uint64_t bytes = 1 << 14; bytes <= 1 << 22; bytes *= 4)
      times.push_back({one, static_cast<double>(bytes), simulated(algorithm, one, bytes)});
  }
  return times;
}

CollectivePrediction predict_collective(const std::string& collective,
                                        const std::vector<CollectiveTime>& times, int ranks,
                                        double bytes, double level) {
  return CollectivePredictor(collective, times).predict(ranks, bytes, level);
}

struct Algorithm {
  std::string simulated, collective, form;
};
const std::vector<Algorithm> kAlgorithms{
    {"allreduce_ring", "allreduce", "ring"},
    {"allreduce_rabenseifner", "allreduce", "Rabenseifner"},
    {"allreduce_recursive_doubling", "allreduce", "recursive doubling"},
    {"allgather_ring", "allgather", "ring"},
    {"reduce_scatter_ring", "reduce_scatter", "ring"},
    {"broadcast_binomial", "broadcast", "binomial"},
    {"alltoall_pairwise", "alltoall", "pairwise"}};

/// Most is latency at 16 KiB, and bandwidth at 4 MiB.
TEST(CollectiveForm, FindsTheAlgorithmAndPredictsEightTimesItsRanks) {
  for (const Algorithm& one : kAlgorithms) {
    for (const double bytes : {16384.0, 262144.0, 4194304.0}) {
      SCOPED_TRACE(one.simulated + ", " + std::to_string(bytes));
      const CollectivePrediction found =
          predict_collective(one.collective, sweep(one.simulated, {2, 4, 8, 16}), 128, bytes, 0.9);
      EXPECT_TRUE(found.fits());
      std::set<std::string> names;
      for (const FittedForm& form : found.forms) names.emplace(form.form.name);
      EXPECT_EQ(names.count(one.form), 1);
      const double wanted = simulated(one.simulated, 128, static_cast<std::uint64_t>(bytes));
      EXPECT_THAT(wanted, AllOf(Ge(0.98 * found.low), Le(1.02 * found.high)));
      EXPECT_NEAR(found.forms.front().at(8, bytes) /
                      simulated(one.simulated, 8, static_cast<std::uint64_t>(bytes)),
                  1, 0.02);
    }
  }
}

/// Ranks beyond a power of two are folded into their neighbours.
TEST(CollectiveForm, NumbersOfRanksNeedNotBePowersOfTwo) {
  for (const std::string algorithm : {"rabenseifner", "recursive_doubling"}) {
    const std::string name = "allreduce_" + algorithm;
    for (const int ranks : {12, 16, 24}) {
      const CollectivePrediction found =
          predict_collective("allreduce", sweep(name, {2, 3, 4, 6, 8}), ranks, 262144, 0.9);
      EXPECT_TRUE(found.fits());
      EXPECT_NEAR(found.seconds / simulated(name, ranks, 262144), 1, 0.02) << name << ranks;
    }
  }
}

/// Bytes of the rank that sends most in each round.
double most_sent(const Schedule& schedule) {
  std::uint64_t sum = 0;
  for (int round = 0; round < schedule.rounds; ++round) {
    std::uint64_t most = 0;
    for (int rank = 0; rank < schedule.ranks; ++rank)
      most = std::max(most, schedule.exchange(round, rank).sent);
    sum += most;
  }
  return static_cast<double>(sum);
}

/// Rounds and bytes of MPICH's algorithms, counted by hand: by the rank that has most to receive,
/// in whole messages. Six ranks are four, two of them with the parts of a neighbour.
TEST(CollectiveForm, ReductionsFoldSurplusRanksAsMpichDoes) {
  struct Count {
    double ranks, steps, volume;
  };
  const auto expect = [](std::string_view collective, std::string_view form,
                         const std::vector<Count>& counts) {
    const auto forms = forms_of(collective);
    const auto found = std::ranges::find(forms, form, &CollectiveForm::name);
    ASSERT_NE(found, forms.end());
    for (const Count& one : counts) {
      SCOPED_TRACE(std::string(form) + " of " + std::to_string(one.ranks));
      EXPECT_EQ(found->steps(one.ranks), one.steps);
      EXPECT_NEAR(found->volume(one.ranks), one.volume, 1e-12);
    }
  };
  // All to a neighbour, halves there, and quarters; the same to the root. Nothing comes back.
  expect("reduce", "Rabenseifner",
         {{2, 2, 2 * 0.5}, {3, 3, 1 + 2 * 0.5}, {6, 5, 1 + 2 * (0.5 + 0.25)}, {8, 6, 2 * 0.875}});
  // Of six parts: all six to a neighbour, four, two, and one back.
  expect("reduce_scatter", "recursive halving",
         {{2, 1, 0.5},
          {3, 3, (3 + 2 + 1) / 3.0},
          {5, 4, (5 + 3 + 2 + 1) / 5.0},
          {6, 4, (6 + 4 + 2 + 1) / 6.0},
          {7, 4, (7 + 4 + 2 + 1) / 7.0},
          {8, 3, 0.875}});
  // As allreduce, which the simulation has.
  for (const int ranks : {2, 3, 6, 7, 8, 12}) {
    const Schedule schedule = make_schedule("allreduce_rabenseifner", ranks, 1 << 20);
    expect("allreduce", "Rabenseifner",
           {{static_cast<double>(ranks), static_cast<double>(schedule.rounds),
             most_sent(schedule) / (1 << 20)}});
  }
}

/// The interval of 90 % must hold at least 85 % of times that it has not seen.
TEST(CollectiveForm, IntervalsHoldNewTimes) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.05);
  int held = 0, all = 0;
  for (int trial = 0; trial < 60; ++trial) {
    for (const Algorithm& one : kAlgorithms) {
      std::vector<CollectiveTime> times = sweep(one.simulated, {2, 4, 8});
      for (CollectiveTime& time : times) time.seconds *= std::exp(noise(random));
      const double bytes = 262144;
      const CollectivePrediction found = predict_collective(one.collective, times, 16, bytes, 0.9);
      ASSERT_TRUE(found.half_width);
      const double measured = simulated(one.simulated, 16, 262144) * std::exp(noise(random));
      const double factor = std::exp(*found.half_width);
      held += measured >= found.low / factor && measured <= found.high * factor ? 1 : 0;
      ++all;
    }
  }
  std::printf("%d of %d held\n", held, all);
  EXPECT_GE(held, 0.85 * all);
}

TEST(CollectiveForm, AnUnknownShapeDoesNotFit) {
  std::vector<CollectiveTime> times;
  for (const int ranks : {2, 4, 8, 16}) {
    for (const double bytes : {1e3, 1e4, 1e5}) {
      times.push_back({ranks, bytes, 1e-9 * bytes * std::pow(ranks, 3)});
    }
  }
  EXPECT_FALSE(predict_collective("allreduce", times, 32, 1e4, 0.9).fits());
}

/// Below 16 KiB one algorithm, above another: sizes far away do not count.
TEST(CollectiveForm, OnlySizesBesideTheOneAskedForCount) {
  std::vector<CollectiveTime> times;
  for (const int ranks : {2, 4, 8}) {
    for (std::uint64_t bytes = 64; bytes <= 1 << 22; bytes *= 4) {
      times.push_back({ranks, static_cast<double>(bytes),
                       simulated(bytes < 16384 ? "allreduce_recursive_doubling" : "allreduce_ring",
                                 ranks, bytes)});
    }
  }
  const CollectivePrediction small = predict_collective("allreduce", times, 64, 256, 0.9);
  const CollectivePrediction large = predict_collective("allreduce", times, 64, 1 << 20, 0.9);
  EXPECT_EQ(small.used.size(), 9);  // 64, 256, 1 KiB
  EXPECT_EQ(large.used.size(), 9);  // 256 KiB to 4 MiB
  const auto at_the_end = predict_collective("allreduce", times, 64, 64, 0.9).used;
  EXPECT_EQ(at_the_end.size(), 9);  // 64, 256, 1 KiB
  EXPECT_NEAR(small.seconds / simulated("allreduce_recursive_doubling", 64, 256), 1, 0.02);
  EXPECT_NEAR(large.seconds / simulated("allreduce_ring", 64, 1 << 20), 1, 0.02);
}

/// Sizes nearby that follow no form do not make a size that follows one a guess, nor the reverse.
TEST(CollectiveForm, TheErrorIsThatOfTheSizeAskedFor) {
  std::vector<CollectiveTime> times;
  for (const int ranks : {2, 3, 4, 6}) {
    for (const double bytes : {1e3, 1e4, 1e5}) {
      const bool odd = bytes == 1e5 && ranks == 4;
      times.push_back({ranks, bytes, 1e-7 * bytes * (ranks - 1) * (odd ? 1.4 : 1.0)});
    }
  }
  const CollectivePrediction small = predict_collective("alltoall", times, 8, 1e3, 0.9);
  EXPECT_TRUE(small.fits()) << small.forms.front().error;
  EXPECT_FALSE(predict_collective("alltoall", times, 8, 1e5, 0.9).fits());
  // Between measured sizes all of them count.
  EXPECT_FALSE(predict_collective("alltoall", times, 8, 5e4, 0.9).fits());
}

TEST(CollectiveForm, TwoNumbersOfRanksAreNoTest) {
  EXPECT_FALSE(
      predict_collective("allreduce", sweep("allreduce_ring", {2, 4}), 8, 65536, 0.9).fits());
  EXPECT_TRUE(
      predict_collective("allreduce", sweep("allreduce_ring", {2, 4, 8}), 8, 65536, 0.9).fits());
}

TEST(CollectiveForm, ABarrierHasNoSizes) {
  std::vector<CollectiveTime> times;
  for (const int ranks : {2, 4, 8, 16}) times.push_back({ranks, 0, 1e-6 * std::log2(ranks)});
  const CollectivePrediction found = predict_collective("barrier", times, 1024, 0, 0.9);
  EXPECT_EQ(found.forms.front().form.name, "dissemination");
  EXPECT_NEAR(found.seconds, 1e-5, 1e-12);
  EXPECT_FALSE(found.half_width) << "four residuals are too few";
}

TEST(CollectiveForm, RefusesWhatItCannotFit) {
  const std::vector<CollectiveTime> good{{2, 8, 1e-6}, {4, 8, 2e-6}};
  EXPECT_NO_THROW(predict_collective("allreduce", good, 8, 8, 0.9));
  EXPECT_THROW(predict_collective("scan", good, 8, 8, 0.9), Error);
  EXPECT_THROW(predict_collective("allreduce", {}, 8, 8, 0.9), Error);
  for (const CollectiveTime& bad :
       {CollectiveTime{2, 16, 1e-6}, {1, 8, 1e-6}, {4, 8, 0}, {4, -1, 1e-6}, {4, 8, NAN}}) {
    const std::vector<CollectiveTime> times{{2, 8, 1e-6}, bad};
    EXPECT_THROW(predict_collective("allreduce", times, 8, 8, 0.9), Error);
  }
}

/// Ranks of two nodes and more, four on each, whose library reduces within the nodes first.
std::vector<CollectiveTime> two_levels(const std::vector<CollectiveTime>& one_node) {
  std::vector<CollectiveTime> times;
  for (const int nodes : {2, 3, 4, 8}) {
    for (const CollectiveTime& within : one_node) {
      const double seconds =
          within.seconds + 2e-5 * 2 * (nodes - 1) + 8e-10 * within.bytes * 2 * (nodes - 1) / nodes;
      times.push_back({4 * nodes, within.bytes, seconds, nodes});
    }
  }
  return times;
}

TEST(CollectiveForm, AddsWhatANodeTakes) {
  const std::vector<CollectiveTime> one_node{
      {4, 1024, 30e-6, 1}, {4, 65536, 200e-6, 1}, {2, 1024, 10e-6, 1}};
  const std::vector<CollectiveTime> times = two_levels({one_node.begin(), one_node.begin() + 2});
  const CollectivePrediction both =
      CollectivePredictor("allreduce", times, one_node).predict(256, 65536, 0.9);
  EXPECT_EQ(both.forms.front().name(), "two levels, ring");
  EXPECT_NEAR(both.forms.front().error, 0, 1e-9);
  EXPECT_NEAR(both.seconds, 200e-6 + 2e-5 * 126 + 8e-10 * 65536 * 126.0 / 64, 1e-12);
  // A rank more takes a node more.
  EXPECT_EQ(both.forms.front().parties(256), 64);
  EXPECT_EQ(both.forms.front().parties(257), 65);
  // Without the node's times the forms are over ranks.
  const CollectivePrediction flat =
      CollectivePredictor("allreduce", times).predict(256, 65536, 0.9);
  EXPECT_FALSE(flat.forms.front().node);
  EXPECT_GT(flat.forms.front().error, 0.01);
}

/// Of a simulation on hosts with four ranks each, below one switch: links of 100 MB/s between
/// hosts, of 1 GB/s within them.
CollectiveTime on_hosts(const std::string& algorithm, int hosts, std::uint64_t bytes) {
  std::vector<Node> nodes{{.name = "switch"}};
  for (int host = 0; host < hosts; ++host)
    nodes.push_back({.name = "n" + std::to_string(host),
                     .above = "switch",
                     .bandwidth = 1e8,
                     .latency = 2e-6,
                     .ranks = 4});
  constexpr LogGops kWithin{.latency = 300, .overhead = 200, .gap_per_byte = 1};
  const std::vector<double> times = simulate(make_schedule(algorithm, 4 * hosts, bytes), kWithin,
                                             Network(std::move(nodes), "test"));
  return {4 * hosts, static_cast<double>(bytes), std::ranges::max(times) * 1e-9, hosts};
}

struct OfHosts {
  std::vector<CollectiveTime> several, one;
};
OfHosts sweep_hosts(const std::string& algorithm) {
  OfHosts times;
  for (const std::uint64_t bytes : {1U << 12, 1U << 16, 1U << 20}) {
    times.one.push_back(on_hosts(algorithm, 1, bytes));
    for (const int hosts : {2, 3, 4, 6}) times.several.push_back(on_hosts(algorithm, hosts, bytes));
  }
  return times;
}

/// Partners on the own node stay as many, and the others are as many more as there are nodes.
TEST(CollectiveForm, PredictsAnAlltoallOfManyNodes) {
  const OfHosts times = sweep_hosts("alltoall_pairwise");
  const double simulated = on_hosts("alltoall_pairwise", 16, 1 << 16).seconds;
  const CollectivePrediction flat =
      CollectivePredictor("alltoall", times.several).predict(64, 1 << 16, 0.9);
  const CollectivePrediction both =
      CollectivePredictor("alltoall", times.several, times.one).predict(64, 1 << 16, 0.9);
  std::printf("one level: %+.1f %% off, two: %+.1f %%\n", 100 * (flat.seconds / simulated - 1),
              100 * (both.seconds / simulated - 1));
  EXPECT_FALSE(flat.fits());
  EXPECT_EQ(both.forms.front().name(), "two levels, pairwise");
  EXPECT_TRUE(both.fits());
  EXPECT_NEAR(both.seconds / simulated, 1, 0.02);
}

/// A ring has one message over each link between hosts, however many there are.
TEST(CollectiveForm, KeepsARingOfHostsOnOneLevel) {
  for (const auto& [algorithm, collective] :
       {std::pair{"allgather_ring", "allgather"}, {"reduce_scatter_ring", "reduce_scatter"}}) {
    const OfHosts times = sweep_hosts(algorithm);
    const CollectivePrediction found =
        CollectivePredictor(collective, times.several, times.one).predict(64, 1 << 16, 0.9);
    EXPECT_EQ(found.forms.front().name(), "ring") << collective;
    EXPECT_NEAR(found.seconds / on_hosts(algorithm, 16, 1 << 16).seconds, 1, 0.005) << collective;
  }
}

/// Leaders gather their node's parts, exchange them in a ring, and hand out what they get.
TEST(CollectiveForm, PredictsAnAllgatherOfLeaders) {
  const auto leaders = [](int nodes, double bytes) {
    const double round = 2e-6 + 4 * bytes * (1e-8 + 1e-9);
    return CollectiveTime{4 * nodes, bytes, 5e-6 + 7e-9 * bytes + (nodes - 1) * round, nodes};
  };
  std::vector<CollectiveTime> times, one_node;
  for (const double bytes : {1024, 4096, 16384}) {
    one_node.push_back(leaders(1, bytes));
    for (const int nodes : {2, 3, 4}) times.push_back(leaders(nodes, bytes));
  }
  const CollectivePrediction found =
      CollectivePredictor("allgather", times, one_node).predict(256, 4096, 0.9);
  EXPECT_EQ(found.forms.front().name(), "two levels, ring");
  EXPECT_NEAR(found.seconds / leaders(64, 4096).seconds, 1, 1e-9);
}

TEST(CollectiveForm, TriesTwoLevelsOnlyWhereNodesAreAlike) {
  const std::vector<CollectiveTime> one_node{{4, 1024, 30e-6, 1}};
  const auto has_two_levels = [](std::vector<CollectiveTime> times,
                                 std::span<const CollectiveTime> within) {
    const CollectivePrediction found =
        CollectivePredictor("allreduce", times, within).predict(64, 1024, 0.9);
    return std::ranges::any_of(found.forms,
                               [](const FittedForm& one) { return one.node != nullptr; });
  };
  const std::vector<CollectiveTime> times = two_levels(one_node);
  EXPECT_TRUE(has_two_levels(times, one_node));
  std::vector<CollectiveTime> other = times;
  other.front().nodes = 4;  // two ranks on each of these
  EXPECT_FALSE(has_two_levels(other, one_node));
  other.front().nodes = 0;
  EXPECT_FALSE(has_two_levels(other, one_node)) << "not known";
  EXPECT_FALSE(has_two_levels(times, std::vector<CollectiveTime>{{3, 1024, 30e-6, 1}}));
  EXPECT_FALSE(has_two_levels(times, std::vector<CollectiveTime>{{4, 2048, 30e-6, 1}}))
      << "of another size";
}

}  // namespace
}  // namespace scalemark::predict
