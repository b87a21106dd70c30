// SPDX-License-Identifier: Apache-2.0
// Grids against MPI_Dims_create, and neighbors worked out by hand and by their definition.
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "suites/micro/collective/grid.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::micro {
namespace {

TEST(Grid, IsThatOfMpi) {
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    for (int ranks = 1; ranks <= 64; ++ranks) {
      std::vector<int> lengths(static_cast<std::size_t>(dimensions), 0);
      MPI_Dims_create(ranks, dimensions, lengths.data());
      EXPECT_EQ(grid_of(ranks, dimensions), lengths) << ranks;
    }
  }
}

TEST(Neighbors, OfARingAndOfARectangle) {
  EXPECT_EQ(neighbors_in_grid(0, {5}, 1), (std::vector<int>{4, 1}));
  EXPECT_EQ(neighbors_in_grid(4, {5}, 2), (std::vector<int>{2, 3, 0, 1}));
  // 0 1 2
  // 3 4 5
  // 6 7 8
  // 9 10 11
  EXPECT_EQ(neighbors_in_grid(0, {4, 3}, 1), (std::vector<int>{11, 9, 10, 2, 1, 5, 3, 4}));
}

TEST(Neighbors, OfATooSmallGridAreNone) {
  EXPECT_TRUE(neighbors_in_grid(0, {2}, 1).empty());
  EXPECT_TRUE(neighbors_in_grid(0, {4}, 2).empty());
  EXPECT_TRUE(neighbors_in_grid(0, {5, 2}, 1).empty());
}

/// Of each rank they are different ones, and it is its i-th neighbor's i-th from the end.
TEST(Neighbors, AreMutual) {
  for (const auto& [grid, radius] : std::vector<std::pair<std::vector<int>, int>>{
           {{3}, 1}, {{7}, 3}, {{4, 3}, 1}, {{6, 5}, 2}, {{4, 3, 3}, 1}}) {
    int ranks = 1;
    for (const int length : grid) ranks *= length;
    for (int rank = 0; rank < ranks; ++rank) {
      SCOPED_TRACE(fmt::format("rank {} of {}", rank, ranks));
      const std::vector<int> mine = neighbors_in_grid(rank, grid, radius);
      std::set<int> all(mine.begin(), mine.end());
      EXPECT_EQ(all.size(), mine.size());
      EXPECT_FALSE(all.contains(rank));
      for (std::size_t i = 0; i < mine.size(); ++i)
        EXPECT_EQ(neighbors_in_grid(mine[i], grid, radius).at(mine.size() - 1 - i), rank);
    }
  }
}

}  // namespace
}  // namespace scalemark::micro
