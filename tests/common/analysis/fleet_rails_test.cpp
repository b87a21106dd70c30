// SPDX-License-Identifier: Apache-2.0
// Verdicts of hosts with several ranks, each with a GPU and a network card.
#include <gtest/gtest.h>

#include "common/hardware/nearest_nic.hpp"
#include "tests/common/analysis/fleet_cases.hpp"
#include "tests/common/hardware/topology.hpp"

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;

using Numbers = std::vector<std::uint64_t>;

/// The screenings of several rails in one case, and a slow host of each. Rank k of a host is on
/// rail k.
CaseResult screening_of_rails(const std::vector<std::size_t>& slow) {
  CaseResult all;
  Numbers rail;
  for (std::size_t number = 0; number < slow.size(); ++number) {
    CaseResult one = screening_of(slow[number]);
    std::vector<Column>& columns = one.tables["pairs"].columns;
    const std::size_t rows = std::get<Numbers>(columns[0].values).size();
    for (std::size_t i = 0; i < 2; ++i)
      for (std::uint64_t& rank : std::get<Numbers>(columns[i].values))
        rank = rank * slow.size() + number;
    rail.insert(rail.end(), rows, number);
    if (number == 0) {
      all = std::move(one);
      continue;
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      std::visit(
          [&](auto& values) {
            const auto& more = std::get<std::decay_t<decltype(values)>>(columns[i].values);
            values.insert(values.end(), more.begin(), more.end());
          },
          all.tables["pairs"].columns[i].values);
  }
  all.tables["pairs"].columns.push_back({"rail", "", rail});
  return all;
}

/// The run of such a screening on machines of this kind, with a GPU for each rank.
Run run_of_rails(const std::string& machine_name, std::size_t rails) {
  const hardware::Machine machine = hardware::load(machine_name);
  Run run;
  for (std::size_t rank = 0; rank < kHosts * rails; ++rank) {
    RankInfo one;
    one.rank = static_cast<int>(rank);
    one.node = host(rank / rails);
    const hardware::Gpu& gpu = machine.gpus.at(rank % rails);
    one.gpu_pci = gpu.pci_bus_id;
    one.nic = hardware::nearest_nic(machine, gpu.pci_bus_id, gpu.numa);
    run.ranks.push_back(one);
  }
  return run;
}

TEST(FleetRails, ASlowRailIsNamedWithItsGpuAndCard) {
  FleetCases cases({});
  cases.add(run_of_rails("dgx-h100", 4), screening_of_rails({kNone, kNone, 5, kNone}));
  const FleetTable fleet = cases.table();
  EXPECT_EQ(fleet.count(NodeVerdict::bad), 1U);
  ASSERT_EQ(fleet.hosts.size(), kHosts);
  EXPECT_EQ(fleet.hosts[0].host, "node5");
  const HostEvidence& why = fleet.hosts[0].evidence.front();
  EXPECT_EQ(why.verdict, NodeVerdict::bad);
  EXPECT_EQ(why.reason,
            "1.50 times as long as the median, 4 pairs, rail 2 (local rank 2 of each node)");
  EXPECT_EQ(why.device, "0000:52:00.0 mlx5_2");
  EXPECT_EQ(why.rail, 2U);
  EXPECT_EQ(why.rank, 5U * 4 + 2);
  EXPECT_EQ(fleet.hosts[0].evidence[1].verdict, NodeVerdict::ok) << "its other rails";
}

TEST(FleetRails, AHostThatIsSlowOnAllRailsSaysSo) {
  FleetCases cases({});
  cases.add(run_of_rails("dgx-h100", 3), screening_of_rails({5, 5, 5}));
  const FleetTable all = cases.table();
  EXPECT_EQ(all.count(NodeVerdict::bad), 1U);
  EXPECT_EQ(all.hosts[0].evidence.front().reason,
            "1.50 times as long as the median, 4 pairs, all 3 rails");
  FleetCases two({});
  two.add(run_of_rails("dgx-h100", 3), screening_of_rails({5, kNone, 5}));
  EXPECT_EQ(
      two.table().hosts[0].evidence.front().reason,
      "1.50 times as long as the median, 4 pairs, rails 0, 2 (local ranks 0, 2 of each node)");
}

}  // namespace
}  // namespace scalemark::analysis
