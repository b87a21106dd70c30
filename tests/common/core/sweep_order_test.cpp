// SPDX-License-Identifier: Apache-2.0
// The orders of sweeps: permutations, each its own, the same for the same seed.
#include "common/core/sweep_order.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace scalemark {
namespace {

std::vector<std::size_t> plan_order(std::size_t cases) {
  std::vector<std::size_t> order(cases);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

TEST(SweepOrders, OneSweepFollowsThePlan) {
  EXPECT_EQ(sweep_orders(7, 1, 5), (std::vector<std::vector<std::size_t>>{plan_order(7)}));
}

TEST(SweepOrders, EachSweepMeetsEveryCaseOnce) {
  for (auto order : sweep_orders(50, 4, 1)) {
    EXPECT_NE(order, plan_order(50));
    std::ranges::sort(order);
    EXPECT_EQ(order, plan_order(50));
  }
  EXPECT_EQ(sweep_orders(0, 3, 1), (std::vector<std::vector<std::size_t>>(3)));
  EXPECT_EQ(sweep_orders(1, 2, 1), (std::vector<std::vector<std::size_t>>{{0}, {0}}));
}

TEST(SweepOrders, DifferBetweenSweepsAndSeedsButNotBetweenCalls) {
  const auto orders = sweep_orders(50, 3, 1);
  ASSERT_EQ(orders.size(), 3U);
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[2]);
  EXPECT_NE(orders[0], orders[2]);
  EXPECT_EQ(sweep_orders(50, 3, 1), orders);
  EXPECT_NE(sweep_orders(50, 3, 2)[0], orders[0]);
}

TEST(SweepOrders, FurtherSweepsChangeNoEarlierOrder) {
  EXPECT_EQ(sweep_orders(50, 5, 1)[1], sweep_orders(50, 2, 1)[1]);
}

// What another build on another node computes: from an implementation of the generator apart.
TEST(SweepOrders, AreTheSameEverywhere) {
  EXPECT_EQ(sweep_orders(5, 2, 1),
            (std::vector<std::vector<std::size_t>>{{1, 4, 0, 2, 3}, {0, 3, 2, 1, 4}}));
}

}  // namespace
}  // namespace scalemark
