// SPDX-License-Identifier: Apache-2.0
// Neighborhood routines on rings and stars of ranks, in every mode, against their definition.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/collective/communicator.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

constexpr Routine kGathers[] = {Routine::neighbor_allgather, Routine::neighbor_allgatherv};
constexpr Routine kExchanges[] = {Routine::neighbor_alltoall, Routine::neighbor_alltoallv,
                                  Routine::neighbor_alltoallw};

/// What `sender` has at element i for `receiver`, or for all (-1).
std::int32_t element_of(int sender, int receiver, std::size_t i) {
  return 10'000 * sender + 100 * (receiver + 1) + static_cast<std::int32_t>(i % 97);
}

class Neighbors : public ::testing::Test {
 protected:
  std::unique_ptr<device::Device> host_ = device::make_host_device();
  std::unique_ptr<Communicator> comm_ = make_mpi_communicator(test::world(), *host_);
  int rank_ = comm_->rank(), size_ = comm_->size();

  Neighborhood ring() const {
    const std::vector<int> both = {(rank_ + size_ - 1) % size_, (rank_ + 1) % size_};
    return {.sources = both, .targets = both};
  }
  /// All ranks send to rank 0, which sends to none.
  Neighborhood star() const {
    Neighborhood result;
    if (rank_ > 0) result.targets = {0};
    for (int rank = size_ - 1; rank_ == 0 && rank > 0; --rank) result.sources.push_back(rank);
    return result;
  }

  void expect_exchange(const Neighborhood& neighbors, Routine routine, Mode mode,
                       std::size_t count) {
    SCOPED_TRACE(fmt::format("{} {} {}", to_string(routine), to_string(mode), count));
    const bool has_own_parts = std::ranges::find(kExchanges, routine) != std::end(kExchanges);
    std::vector<std::int32_t> in, want;
    for (const int target : has_own_parts ? neighbors.targets : std::vector<int>{-1}) {
      for (std::size_t i = 0; i < count; ++i) in.push_back(element_of(rank_, target, i));
    }
    for (const int source : neighbors.sources) {
      for (std::size_t i = 0; i < count; ++i)
        want.push_back(element_of(source, has_own_parts ? rank_ : -1, i));
    }
    std::vector<std::int32_t> out(want.size() + 1, -1);
    want.push_back(-1);
    const auto operation = comm_->prepare({.routine = routine,
                                           .in = in.data(),
                                           .out = out.data(),
                                           .count = count,
                                           .type = DType::int32,
                                           .mode = mode,
                                           .neighbors = neighbors});
    operation->run();
    EXPECT_EQ(out, want);
    std::fill(out.begin(), out.end() - 1, 0);
    operation->start();
    while (!operation->test()) {
    }
    operation->wait();
    EXPECT_EQ(out, want) << "again";
  }
};

TEST_F(Neighbors, GetWhatTheirsHave) {
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    for (const std::size_t count : {0U, 1U, 17U, 4099U}) {
      for (const Neighborhood& neighbors : {ring(), star()}) {
        for (const Routine routine : kGathers) expect_exchange(neighbors, routine, mode, count);
        for (const Routine routine : kExchanges) expect_exchange(neighbors, routine, mode, count);
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::collective
