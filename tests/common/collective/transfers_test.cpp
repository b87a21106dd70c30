// SPDX-License-Identifier: Apache-2.0
// Messages: alone, in pairs and in windows, posted each time and bound once.
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

using Direction = Transfer::Direction;

class Transfers : public ::testing::Test {
 protected:
  std::unique_ptr<device::Device> host_ = device::make_host_device();
  std::unique_ptr<Communicator> comm_ = make_mpi_communicator(test::world(), *host_);
  int rank_ = comm_->rank(), size_ = comm_->size();
  int next_ = (rank_ + 1) % size_, before_ = (rank_ + size_ - 1) % size_;
};

TEST_F(Transfers, RingInEveryMode) {
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    for (const std::size_t count : {0U, 1U, 5000U}) {
      std::vector<std::int32_t> out(count, rank_), in(count + 1, -1);
      const Transfer both[] = {{Direction::send, out.data(), count, next_},
                               {Direction::receive, in.data(), count, before_}};
      const auto ring = comm_->prepare(both, DType::int32, mode, nullptr);
      for (int round = 0; round < 3; ++round) {
        for (std::int32_t& one : out) one = rank_ + 10 * round;
        ring->run();
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(in[i], before_ + 10 * round);
        ASSERT_EQ(in[count], -1);
      }
    }
  }
}

TEST_F(Transfers, AWindowArrivesInOrder) {
  if (size_ == 1) GTEST_SKIP() << "needs a peer";
  constexpr std::size_t kWindow = 64;
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    std::vector<std::int64_t> out(kWindow), in(kWindow, -1);
    std::vector<Transfer> window;
    for (std::size_t i = 0; i < kWindow; ++i) {
      out[i] = static_cast<std::int64_t>(i) + 100 * rank_;
      window.push_back({Direction::send, &out[i], 1, next_});
      window.push_back({Direction::receive, &in[i], 1, before_});
    }
    const auto operation = comm_->prepare(window, DType::int64, mode, nullptr);
    operation->start();
    while (!operation->test()) {
    }
    operation->wait();
    for (std::size_t i = 0; i < kWindow; ++i)
      ASSERT_EQ(in[i], static_cast<std::int64_t>(i) + 100 * before_);
  }
}

TEST_F(Transfers, NoMessagesAreDoneAtOnce) {
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    const auto nothing = comm_->prepare({}, DType::int8, mode, nullptr);
    nothing->run();
    nothing->start();
    EXPECT_TRUE(nothing->test());
  }
}

TEST_F(Transfers, AreNotRecorded) {
  const Transfer one{Direction::send, nullptr, 0, next_};
  EXPECT_THROW(comm_->prepare({&one, 1}, DType::int8, Mode::graph, nullptr), Unavailable);
}

TEST_F(Transfers, ForgottenOnesAreWaitedFor) {
  std::vector<std::int32_t> out(300'000, rank_), in(300'000, -1);
  const Transfer both[] = {{Direction::send, out.data(), out.size(), next_},
                           {Direction::receive, in.data(), in.size(), before_}};
  for (const Mode mode : {Mode::nonblocking, Mode::persistent}) {
    comm_->prepare(both, DType::int32, mode, nullptr)->start();
    EXPECT_EQ(in.back(), before_);
  }
}

}  // namespace
}  // namespace scalemark::collective
