// SPDX-License-Identifier: Apache-2.0
// The rank with the largest bandwidth loss.
#include "common/analysis/device_loss.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

CaseResult with_losses(const std::vector<double>& losses) {
  std::vector<std::uint64_t> ranks;
  std::vector<std::string> places, devices;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    ranks.push_back(i);
    places.push_back("n" + std::to_string(i / 2));
    devices.push_back("0000:1" + std::to_string(i) + ":00.0");
  }
  CaseResult result;
  result.tables["devices"] = {.columns = {{"rank", "", ranks},
                                          {"place", "", places},
                                          {"device", "", devices},
                                          {"loss", "1", losses}}};
  return result;
}

TEST(DeviceLoss, NamesTheRankThatLosesMost) {
  const auto loss = device_loss(with_losses({0.02, 0.3, 0.41, 0.1}));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->rank, 2U);
  EXPECT_EQ(loss_text(*loss),
            "with all ranks copying, rank 2 (0000:12:00.0, n1) loses 41 % of its bandwidth");
  EXPECT_EQ(loss_text({.rank = 1, .place = "vm numa 0", .device = "host", .loss = 0.49}),
            "with all ranks copying, rank 1 (vm, NUMA 0) loses 49 % of its bandwidth");
}

TEST(DeviceLoss, SmallLossesAndGainsAreNoFinding) {
  EXPECT_FALSE(device_loss(with_losses({0.02, 0.1, -0.4})));
  EXPECT_FALSE(device_loss(with_losses({std::numeric_limits<double>::quiet_NaN()})));
  EXPECT_FALSE(device_loss(with_losses({})));
  EXPECT_FALSE(device_loss(CaseResult()));
}

TEST(DeviceLoss, ATableThatLacksColumnsSaysNothing) {
  for (std::size_t i = 0; i < 4; ++i) {
    CaseResult missing = with_losses({0.3, 0.2});
    auto& columns = missing.tables["devices"].columns;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(device_loss(missing)) << i;
    CaseResult shorter = with_losses({0.3, 0.2});
    std::visit([](auto& values) { values.pop_back(); },
               shorter.tables["devices"].columns[i].values);
    EXPECT_FALSE(device_loss(shorter)) << i;
  }
}

}  // namespace
}  // namespace scalemark::analysis
