// SPDX-License-Identifier: Apache-2.0
// Counts which rank loads and computes which sample, for every strategy.
#include "suites/imaging/train/strategy.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"

namespace scalemark::imaging {
namespace {

using Samples = std::vector<std::int64_t>;

/// The plans of all ranks.
std::vector<EpochPlan> plans(EpochRequest request) {
  std::vector<EpochPlan> all;
  for (request.rank = 0; request.rank < request.ranks; ++request.rank)
    all.push_back(plan_epoch(request));
  return all;
}

/// The permutation of the epoch: a set that is not divided.
Samples permutation(std::int64_t samples, std::uint64_t seed = 3, std::uint64_t epoch = 1) {
  return plan_epoch({.samples = samples, .seed = seed, .epoch = epoch}).order;
}

Samples sorted(Samples samples) {
  std::ranges::sort(samples);
  return samples;
}

/// 0 .. n - 1
Samples everything(std::int64_t n) {
  Samples all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(i);
  return all;
}

/// The batches that a rank computes, one after the other, by the loop that a training makes.
std::vector<std::int64_t> computed_batches(const EpochPlan& plan) {
  std::vector<std::int64_t> batches;
  for (std::int64_t i = plan.first; i < plan.loaded; i += plan.every) batches.push_back(i);
  return batches;
}

struct Size {
  std::int64_t samples, batch;
};
const std::vector<Size> kSizes{{24, 1}, {24, 2}, {25, 1}, {25, 3}, {31, 4}, {97, 8}, {7, 2}};

void for_all(Strategy strategy, const std::function<void(const EpochRequest&)>& check) {
  for (const Size& size : kSizes) {
    for (std::int64_t ranks = 1; ranks <= 4; ++ranks) {
      const EpochRequest request{.strategy = strategy,
                                 .samples = size.samples,
                                 .batch = size.batch,
                                 .ranks = ranks,
                                 .seed = 3,
                                 .epoch = 1};
      SCOPED_TRACE(std::to_string(size.samples) + " samples, batch " + std::to_string(size.batch) +
                   ", ranks " + std::to_string(ranks));
      check(request);
      for (const EpochPlan& plan : plans(request)) {
        EXPECT_EQ(plan.order.size(), static_cast<std::size_t>(plan.loaded * size.batch));
        EXPECT_EQ(plan.computed(), static_cast<std::int64_t>(computed_batches(plan).size()));
        EXPECT_EQ(plan.computed(), plans(request)[0].computed()) << "ranks would wait for ever";
      }
    }
  }
}

TEST(Strategy, NamesAndKinds) {
  std::set<std::string> ddp, replicated;
  for (const std::string& name : strategy_names()) {
    if (is_ddp(strategy_from(name))) ddp.insert(name);
    if (is_data_parallel(strategy_from(name))) replicated.insert(name);
  }
  EXPECT_EQ(strategy_names().size(), 7U);
  EXPECT_EQ(strategy_from("single"), Strategy::single);
  EXPECT_EQ(ddp, (std::set<std::string>{"ddp_full", "ddp_rr", "ddp_ds"}));
  EXPECT_EQ(replicated,
            (std::set<std::string>{"data_parallel_replicate", "data_parallel_persistent",
                                   "data_parallel_device_scatter"}));
  EXPECT_THROW(strategy_from("ddp"), Error);
}

TEST(Strategy, OneProcessSeesEverySampleOnce) {
  for (const Strategy strategy : {Strategy::single, Strategy::data_parallel_replicate}) {
    const EpochPlan plan = plan_epoch({.strategy = strategy, .samples = 25, .batch = 4});
    EXPECT_EQ(plan.loaded, 6);
    EXPECT_EQ(plan.computed(), 6);
    EXPECT_EQ(plan.order.size(), 24U) << "the batch of one sample at the end is left out";
    EXPECT_EQ(std::set(plan.order.begin(), plan.order.end()).size(), 24U);
  }
  EXPECT_EQ(sorted(permutation(25)), everything(25));
  EXPECT_NE(permutation(25), everything(25)) << "shuffled";
}

/// The ranks' shares, put together again, are the padded order from its start.
TEST(Strategy, DdpDsDividesThePaddedOrder) {
  for_all(Strategy::ddp_ds, [](const EpochRequest& request) {
    const Samples order = permutation(request.samples);
    Samples padded = order;
    while (padded.size() % static_cast<std::size_t>(request.ranks) != 0)
      padded.push_back(order[padded.size() - order.size()]);
    const std::vector<EpochPlan> all = plans(request);
    const std::int64_t each = static_cast<std::int64_t>(padded.size()) / request.ranks;
    EXPECT_EQ(all[0].loaded, each / request.batch);
    Samples together;
    for (std::size_t i = 0; i < all[0].order.size(); ++i) {
      for (const EpochPlan& plan : all) together.push_back(plan.order.at(i));
    }
    padded.resize(static_cast<std::size_t>(each / request.batch * request.batch * request.ranks));
    EXPECT_EQ(together, padded);
    for (const EpochPlan& plan : all) EXPECT_EQ(plan.computed(), plan.loaded);
  });
}

TEST(Strategy, DdpDsIsPyTorchsDistributedSampler) {
  std::ifstream stream(std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/imaging.json");
  const nlohmann::json file = nlohmann::json::parse(stream);
  int compared = 0;
  for (const auto& entry : file["distributed_sampler"]) {
    if (!entry["shuffle"].get<bool>() || entry["drop_last"].get<bool>()) continue;
    const std::vector<EpochPlan> all = plans({.strategy = Strategy::ddp_ds,
                                              .samples = entry["samples"],
                                              .ranks = entry["ranks"],
                                              .seed = entry["seed"],
                                              .epoch = entry["epoch"]});
    for (std::size_t rank = 0; rank < all.size(); ++rank, ++compared)
      EXPECT_EQ(all[rank].order, entry["indices"][rank].get<Samples>()) << entry.dump();
  }
  EXPECT_EQ(compared, 3 + 3 + 4 + 8 + 4 + 2);
}

TEST(Strategy, DdpFullGivesEveryRankEverySampleInAnOrderOfItsOwn) {
  for_all(Strategy::ddp_full, [](const EpochRequest& request) {
    std::set<Samples> orders;
    for (const EpochPlan& plan : plans(request)) {
      EXPECT_EQ(plan.loaded, request.samples / request.batch);
      EXPECT_EQ(plan.computed(), plan.loaded);
      const std::set<std::int64_t> seen(plan.order.begin(), plan.order.end());
      EXPECT_EQ(seen.size(), plan.order.size()) << "none twice";
      EXPECT_GE(*seen.begin(), 0);
      EXPECT_LT(*seen.rbegin(), request.samples);
      orders.insert(plan.order);
    }
    EXPECT_EQ(orders.size(), static_cast<std::size_t>(request.ranks));
  });
}

TEST(Strategy, DdpRrLoadsEverythingEverywhereAndComputesEachBatchOnce) {
  for_all(Strategy::ddp_rr, [](const EpochRequest& request) {
    const std::vector<EpochPlan> all = plans(request);
    const std::int64_t full_batches = request.samples / request.batch;
    EXPECT_EQ(all[0].loaded, full_batches / request.ranks * request.ranks);
    Samples start = permutation(request.samples);
    start.resize(static_cast<std::size_t>(all[0].loaded * request.batch));
    std::map<std::int64_t, int> computed;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      EXPECT_EQ(all[rank].order, start);
      for (const std::int64_t batch : computed_batches(all[rank])) {
        ++computed[batch];
        EXPECT_EQ(batch % request.ranks, static_cast<std::int64_t>(rank)) << "every W-th";
      }
    }
    EXPECT_EQ(computed.size(), static_cast<std::size_t>(all[0].loaded));
    for (const auto& [batch, times] : computed) EXPECT_EQ(times, 1) << "batch " << batch;
  });
}

TEST(Strategy, EpochAndSeedChangeTheOrder) {
  for (const std::string& name : strategy_names()) {
    EpochRequest request{.strategy = strategy_from(name), .samples = 60, .batch = 3, .ranks = 2};
    const Samples first = plan_epoch(request).order;
    EXPECT_EQ(plan_epoch(request).order, first) << name;
    request.epoch = 1;
    EXPECT_NE(plan_epoch(request).order, first) << name;
    request.epoch = 0;
    request.seed = 1;
    EXPECT_NE(plan_epoch(request).order, first) << name;
  }
}

/// What makes trainings on different numbers of ranks comparable: step by step the same samples.
TEST(Strategy, TheSameSamplesInTheSameOrderForAnyNumberOfRanks) {
  const std::int64_t global_batch = 12;
  for (const Strategy strategy : {Strategy::ddp_ds, Strategy::ddp_rr}) {
    for (const std::int64_t ranks : {2, 3, 4}) {
      const std::int64_t batch = global_batch / ranks;
      const std::vector<EpochPlan> all = plans({.strategy = strategy,
                                                .samples = 60,
                                                .batch = batch,
                                                .ranks = ranks,
                                                .seed = 3,
                                                .epoch = 1});
      for (std::int64_t step = 0; step < 60 / global_batch; ++step) {
        Samples seen;
        for (const EpochPlan& plan : all) {
          const auto from = plan.order.begin() + (plan.first + step * plan.every) * batch;
          seen.insert(seen.end(), from, from + batch);
        }
        const Samples order = permutation(60);
        const auto from = order.begin() + step * global_batch;
        EXPECT_EQ(sorted(seen), sorted(Samples(from, from + global_batch)))
            << ranks << " ranks, step " << step;
      }
    }
  }
}

TEST(Strategy, ABatchLargerThanTheShareGivesNone) {
  for (const std::string& name : strategy_names()) {
    for (const EpochPlan& plan :
         plans({.strategy = strategy_from(name), .samples = 7, .batch = 8, .ranks = 3})) {
      EXPECT_EQ(plan.loaded, 0) << name;
      EXPECT_EQ(plan.computed(), 0) << name;
      EXPECT_TRUE(plan.order.empty()) << name;
    }
  }
  // Enough for one batch, but not for one on each rank.
  for (const Strategy strategy : {Strategy::ddp_ds, Strategy::ddp_rr})
    EXPECT_EQ(plan_epoch({.strategy = strategy, .samples = 20, .batch = 8, .ranks = 3}).loaded, 0);
}

}  // namespace
}  // namespace scalemark::imaging
