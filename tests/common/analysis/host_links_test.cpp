// SPDX-License-Identifier: Apache-2.0
// Slow links between GPUs of made-up hosts.
#include "common/analysis/host_links.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/analysis/fleet_cases.hpp"
#include "tests/common/analysis/gpu_matrix.hpp"

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;

/// Copies between four GPUs; those from GPU 1 to GPU `slow_to` take three times as long, if any.
CaseResult copies(std::uint64_t slow_to = 1) {
  CaseResult result = matrix(4, [&](auto from, auto to) {
    return usual(from, to) * (from == 1 && to == slow_to ? 3 : 1);
  });
  result.name = "micro/memcpy";
  result.params["direction"] = std::string("peer");
  result.key = make_key(result.name, result.params);
  return result;
}

HostLinks of_hosts(const std::vector<CaseResult>& results) {
  HostLinks links;
  for (std::size_t i = 0; i < results.size(); ++i) links.add(run_on(host(i)), results[i]);
  return links;
}

TEST(HostLinks, ASlowLinkOfOneHostIsBad) {
  const auto found = of_hosts({copies(), copies(3), copies()}).findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].host, host(1));
  EXPECT_EQ(found[0].link.from, 1U);
  EXPECT_EQ(found[0].link.to, 3U);
  EXPECT_EQ(found[0].verdict, NodeVerdict::bad);
}

TEST(HostLinks, WhatMostHostsHaveIsHowTheyAreBuilt) {
  EXPECT_TRUE(of_hosts({copies(3), copies(3), copies()}).findings().empty());
  EXPECT_EQ(of_hosts({copies(3), copies(2), copies()}).findings().size(), 2U) << "other pairs";
}

TEST(HostLinks, AnotherRunMayShowThatItWasADisturbance) {
  HostLinks links = of_hosts({copies(), copies(3), copies()});
  links.add(run_on(host(1)), copies());
  EXPECT_TRUE(links.findings().empty());
}

TEST(HostLinks, WithoutOthersToCompareWithItIsSuspect) {
  const auto found = of_hosts({copies(3), copies()}).findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].verdict, NodeVerdict::suspect);
}

TEST(HostLinks, TheTableOfAFleetNamesThem) {
  FleetCases cases({});
  for (std::size_t i = 0; i < 3; ++i) cases.add(run_on(host(i)), copies(i == 1 ? 3 : 1));
  const FleetTable table = cases.table();
  const auto bad = std::ranges::find(table.hosts, NodeVerdict::bad, &HostVerdict::verdict);
  ASSERT_NE(bad, table.hosts.end());
  EXPECT_EQ(bad->host, host(1));
  EXPECT_EQ(bad->evidence.front().component, "copies between GPUs");
  EXPECT_THAT(bad->evidence.front().reason,
              testing::StartsWith("GPU 1 to GPU 3 takes 3.0 times as long"));
}

}  // namespace
}  // namespace scalemark::analysis
