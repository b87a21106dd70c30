// SPDX-License-Identifier: Apache-2.0
// Neighborhood routines on a ring of ranks, in every mode, against their definition.
#include <cstdint>
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
  std::vector<int> ring_ = {(rank_ + size_ - 1) % size_, (rank_ + 1) % size_};

  void expect_exchange(Routine routine, Mode mode, std::size_t count, bool has_own_parts) {
    SCOPED_TRACE(fmt::format("{} {} {}", to_string(routine), to_string(mode), count));
    std::vector<std::int32_t> in, want, out(2 * count + 1, -1);
    for (const int neighbor : ring_) {
      for (std::size_t i = 0; i < count; ++i) {
        if (has_own_parts || neighbor == ring_.front())
          in.push_back(element_of(rank_, has_own_parts ? neighbor : -1, i));
        want.push_back(element_of(neighbor, has_own_parts ? rank_ : -1, i));
      }
    }
    want.push_back(-1);
    const auto operation = comm_->prepare({.routine = routine,
                                           .in = in.data(),
                                           .out = out.data(),
                                           .count = count,
                                           .type = DType::int32,
                                           .mode = mode,
                                           .neighbors = ring_});
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
      for (const Routine routine : kGathers) expect_exchange(routine, mode, count, false);
      for (const Routine routine : kExchanges) expect_exchange(routine, mode, count, true);
    }
  }
}

}  // namespace
}  // namespace scalemark::collective
