// SPDX-License-Identifier: Apache-2.0
// What the ranks of a node may use together, with machines that each rank sees differently.
#include <gtest/gtest.h>

#include "common/core/environment/node_view.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark {
namespace {

hardware::Machine whole() {
  return hardware::read_machine_xml(std::string(SCALEMARK_SOURCE_DIR) +
                                    "/tests/topologies/2xepyc9334-4xh100.xml");
}

TEST(NodeView, RanksBoundToOneCoreEachHaveAllOfThem) {
  hardware::Machine mine = whole();
  mine.allowed = {test::world().rank()};
  const NodeView view = share_view(test::world(), mine, {});
  EXPECT_EQ(view.machine.allowed.size(), static_cast<std::size_t>(test::world().size()));
  const auto ranks = hardware::place(view.machine, view.request);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    // Cores are numbered by core, threads by c and c + 64.
    EXPECT_EQ(ranks[i].num_cores, 1) << i;
    EXPECT_EQ(ranks[i].note.find("ranks on"), std::string::npos) << ranks[i].note;
  }
}

TEST(NodeView, RanksThatSeeOneGpuEachAreNotThoughtToShareIt) {
  hardware::Machine mine = whole();
  const auto rank = static_cast<std::size_t>(test::world().rank());
  const hardware::Gpu own = mine.gpus[rank];
  mine.gpus = {own};  // devices hidden by a cgroup
  const NodeView view = share_view(test::world(), mine, {});
  ASSERT_EQ(view.machine.gpus.size(), static_cast<std::size_t>(test::world().size()));
  const auto placed = hardware::place(view.machine, view.request)[rank];
  EXPECT_EQ(view.machine.gpus[static_cast<std::size_t>(placed.gpu)].pci_bus_id, own.pci_bus_id);
  EXPECT_EQ(placed.visible_gpu, 0);
  EXPECT_EQ(placed.note, "");
}

TEST(NodeView, RanksMayHaveDifferentVariables) {
  const int last = test::world().size() - 1;
  const NodeView view =
      share_view(test::world(), whole(), test::world().rank() == last ? std::string("3,x") : "0");
  const auto placed = hardware::place(view.machine, view.request);
  EXPECT_EQ(placed.back().gpu, 3);
  if (last > 0) {
    EXPECT_EQ(placed.front().gpu, 0);
  }
  EXPECT_EQ(view.problem.empty(), test::world().rank() != last) << view.problem;
}

TEST(NodeView, CoresAreCountedForWhoSharesThem) {
  const hardware::Machine machine = whole();
  const int size = test::world().size(), rank = test::world().rank();
  EXPECT_EQ(cores_of_rank(test::world(), machine, hardware::parse_list("0-7,64-71")),
            std::max(1, 8 / size))
      << "all on the same eight cores";
  const int first = 8 * rank;
  EXPECT_EQ(
      cores_of_rank(test::world(), machine,
                    hardware::parse_list(std::to_string(first) + "-" + std::to_string(first + 7))),
      8)
      << "one hardware thread of a core is a core";
}

TEST(NodeView, CoresHaveTheThreadsThatTheRankMayUse) {
  const hardware::Machine machine = whole();
  const std::vector<hardware::CpuSet> cores = cores_in(machine, hardware::parse_list("1,2,65"));
  ASSERT_EQ(cores.size(), 2U);
  EXPECT_EQ(hardware::to_list(cores[0]), "1,65");
  EXPECT_EQ(hardware::to_list(cores[1]), "2");
  EXPECT_TRUE(cores_in(machine, {}).empty());
}

TEST(NodeView, SharersAreThoseWhoseCpusOverlap) {
  const int size = test::world().size(), rank = test::world().rank();
  EXPECT_EQ(core_sharers(test::world(), hardware::parse_list("0-3")), size);
  EXPECT_EQ(core_sharers(test::world(), {2 * rank, 2 * rank + 1}), 1);
  // A chain: each rank shares a CPU with its neighbours.
  const int neighbours = (rank > 0 ? 1 : 0) + (rank + 1 < size ? 1 : 0);
  EXPECT_EQ(core_sharers(test::world(), {rank, rank + 1}), 1 + neighbours);
}

}  // namespace
}  // namespace scalemark
