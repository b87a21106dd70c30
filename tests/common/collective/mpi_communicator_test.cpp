// SPDX-License-Identifier: Apache-2.0
// The MPI communicator against values worked out by hand, on 1 to 4 ranks.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

using ::testing::Each;

const std::size_t kCounts[] = {0, 1, 3, 17, 1000, 65'537};

class MpiCommunicator : public ::testing::Test {
 protected:
  std::unique_ptr<device::Device> host_ = device::make_host_device();
  std::unique_ptr<device::Stream> stream_ = host_->make_stream();
  std::unique_ptr<Communicator> comm_ = make_mpi_communicator(test::world(), *host_);
  int rank_ = comm_->rank(), size_ = comm_->size();
};

/// What rank `rank` brings at index i: small, so that every sum and product is exact in every type
/// (a product of 4 ranks is at most 3^4).
template <typename T>
T input(int rank, std::size_t i) {
  return static_cast<T>(1 + (static_cast<std::size_t>(rank) + i) % 3);
}

/// The reduction by its definition, one rank after the other.
template <typename T>
T reduced(ReduceOp op, int size, std::size_t i) {
  T result = input<T>(0, i);
  for (int rank = 1; rank < size; ++rank) {
    const T x = input<T>(rank, i);
    switch (op) {
      case ReduceOp::sum:
        result = static_cast<T>(result + x);
        break;
      case ReduceOp::prod:
        result = static_cast<T>(result * x);
        break;
      case ReduceOp::min:
        result = x < result ? x : result;
        break;
      case ReduceOp::max:
        result = x > result ? x : result;
        break;
      case ReduceOp::avg:
        ADD_FAILURE() << "averages have tests of their own";
        break;
    }
  }
  return result;
}

template <typename T>
void expect_allreduce(Communicator& comm, device::Stream& stream, DType type, ReduceOp op,
                      std::size_t count, bool in_place) {
  SCOPED_TRACE(
      fmt::format("{} {} count {} in_place {}", to_string(type), to_string(op), count, in_place));
  std::vector<T> in(count + 1, T{99}), out(count + 1, T{99});  // one more as a guard
  for (std::size_t i = 0; i < count; ++i) in[i] = input<T>(comm.rank(), i);
  if (in_place) out = in;
  comm.allreduce(in_place ? out.data() : in.data(), out.data(), count, type, op, stream);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += out[i] != reduced<T>(op, comm.size(), i);
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(out[count], T{99});
}

template <typename T>
void expect_all_allreduces(Communicator& comm, device::Stream& stream, DType type) {
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::min, ReduceOp::max}) {
    ASSERT_EQ(comm.why_not(type, op, device::MemoryKind::pageable), "");
    for (const std::size_t count : kCounts) {
      for (const bool in_place : {false, true})
        expect_allreduce<T>(comm, stream, type, op, count, in_place);
    }
  }
}

TEST_F(MpiCommunicator, AllreduceOfAllTypesOpsAndCounts) {
  expect_all_allreduces<std::int8_t>(*comm_, *stream_, DType::int8);
  expect_all_allreduces<std::int32_t>(*comm_, *stream_, DType::int32);
  expect_all_allreduces<std::int64_t>(*comm_, *stream_, DType::int64);
  expect_all_allreduces<float>(*comm_, *stream_, DType::fp32);
  expect_all_allreduces<double>(*comm_, *stream_, DType::fp64);
}

// Values that only the right width and signedness keep.
TEST_F(MpiCommunicator, TypesKeepTheirRange) {
  std::int64_t wide = -(std::int64_t{1} << 40) - rank_;
  comm_->allreduce(&wide, &wide, 1, DType::int64, ReduceOp::min, *stream_);
  EXPECT_EQ(wide, -(std::int64_t{1} << 40) - (size_ - 1));
  auto narrow =
      static_cast<std::int8_t>(rank_ == 0 ? -1 : rank_);  // unsigned, -1 would be the largest
  comm_->allreduce(&narrow, &narrow, 1, DType::int8, ReduceOp::max, *stream_);
  EXPECT_EQ(narrow, size_ == 1 ? -1 : size_ - 1);
  double fine = 1.0 + std::ldexp(rank_, -50);  // lost in fp32
  comm_->allreduce(&fine, &fine, 1, DType::fp64, ReduceOp::max, *stream_);
  EXPECT_EQ(fine, 1.0 + std::ldexp(size_ - 1, -50));
}

TEST_F(MpiCommunicator, AllgatherOrdersByRank) {
  for (const DType type : {DType::int8, DType::int32, DType::int64, DType::fp16, DType::bf16,
                           DType::fp32, DType::fp64}) {
    for (const std::size_t count : kCounts) {
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(fmt::format("{} count {} in_place {}", to_string(type), count, in_place));
        const std::size_t bytes = count * size_of(type),
                          all = bytes * static_cast<std::size_t>(size_);
        const auto byte_of = [](std::size_t rank, std::size_t i) {
          return static_cast<unsigned char>(rank * 101 + i * 7);
        };
        std::vector<unsigned char> in(bytes), out(all + 1, 0xee);
        for (std::size_t i = 0; i < bytes; ++i) in[i] = byte_of(static_cast<std::size_t>(rank_), i);
        unsigned char* mine = out.data() + static_cast<std::size_t>(rank_) * bytes;
        if (in_place) std::copy(in.begin(), in.end(), mine);
        comm_->allgather(in_place ? mine : in.data(), out.data(), count, type, *stream_);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < all; ++i) wrong += out[i] != byte_of(i / bytes, i % bytes);
        EXPECT_EQ(wrong, 0U);
        EXPECT_EQ(out[all], 0xee);
      }
    }
  }
}

TEST_F(MpiCommunicator, BroadcastFromEveryRoot) {
  for (int root = 0; root < size_; ++root) {
    for (const std::size_t count : kCounts) {
      std::vector<std::int32_t> data(count, rank_ == root ? 1000 + root : -1);
      comm_->broadcast(data.data(), count, DType::int32, root, *stream_);
      EXPECT_THAT(data, Each(1000 + root)) << "root " << root << ", count " << count;
    }
  }
}

TEST_F(MpiCommunicator, RingOfMessages) {
  if (size_ == 1) GTEST_SKIP() << "needs a peer";
  const int next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
  for (const std::size_t count : kCounts) {
    std::vector<double> out(count), in(count + 1, -1.0);
    for (std::size_t i = 0; i < count; ++i) out[i] = rank_ + 0.001 * static_cast<double>(i);
    if (rank_ == 0) comm_->send(out.data(), count, DType::fp64, next, *stream_);
    comm_->recv(in.data(), count, DType::fp64, before, *stream_);
    if (rank_ != 0) comm_->send(out.data(), count, DType::fp64, next, *stream_);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i)
      wrong += in[i] != before + 0.001 * static_cast<double>(i);
    EXPECT_EQ(wrong, 0U) << count;
    EXPECT_EQ(in[count], -1.0);
  }
}

TEST_F(MpiCommunicator, SubCommunicatorsAreApart) {
  const mpi::Comm half = test::world().split(rank_ % 2, rank_);
  const auto comm = make_mpi_communicator(half, *host_);
  EXPECT_EQ(comm->size(), half.size());
  std::int32_t sum = rank_ + 1, expected = 0;
  for (int rank = rank_ % 2; rank < size_; rank += 2) expected += rank + 1;
  comm->allreduce(&sum, &sum, 1, DType::int32, ReduceOp::sum, *stream_);
  EXPECT_EQ(sum, expected);
  comm->barrier();
}

TEST_F(MpiCommunicator, StartedOperationsFinish) {
  std::vector<double> gradients(1001, rank_ + 1.0);
  std::vector<std::int32_t> weights(17, rank_ == size_ - 1 ? 5 : 0);
  auto first =
      comm_->start_allreduce(gradients.data(), gradients.size(), DType::fp64, ReduceOp::sum);
  auto second = comm_->start_broadcast(weights.data(), weights.size(), DType::int32, size_ - 1);
  second->wait();
  EXPECT_THAT(weights, Each(5));
  while (!first->test()) {
  }
  EXPECT_TRUE(first->test());
  first->wait();  // again: nothing
  EXPECT_THAT(gradients, Each(size_ * (size_ + 1) / 2.0));
}

TEST_F(MpiCommunicator, StartedGathersAndPartsOfSumsFinish) {
  std::vector<std::int32_t> mine(7, rank_), all(7 * static_cast<std::size_t>(size_), -1);
  std::vector<double> whole(3 * static_cast<std::size_t>(size_)), part(3, 0);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<double>(i) + 100 * rank_;
  auto first = comm_->start_allgather(mine.data(), all.data(), mine.size(), DType::int32);
  auto second = comm_->start_reduce_scatter(whole.data(), part.data(), part.size(), DType::fp64,
                                            ReduceOp::sum);
  second->wait();
  first->wait();
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int>(i / 7));
  for (std::size_t i = 0; i < part.size(); ++i) {
    const double place = 3.0 * rank_ + static_cast<double>(i);
    EXPECT_EQ(part[i], place * size_ + 50.0 * size_ * (size_ - 1));
  }
}

/// What rank 0 has plus what the last rank has, all others -0.
template <typename Bits>
std::vector<Bits> bits_sum(Communicator& comm, DType type, std::vector<Bits> first,
                           const std::vector<Bits>& last) {
  constexpr Bits kMinusZero = Bits{1} << (8 * sizeof(Bits) - 1);
  std::vector<Bits> mine(first.size(), kMinusZero);
  if (comm.rank() == 0) mine = std::move(first);
  if (comm.rank() > 0 && comm.rank() == comm.size() - 1) mine = last;
  comm.start_allreduce(mine.data(), mine.size(), type, ReduceOp::sum)->wait();
  return mine;
}

TEST_F(MpiCommunicator, SixteenBitSumsAreRoundedToEven) {
  if (size_ == 1) GTEST_SKIP() << "needs something to add";
  using Bits = std::vector<std::uint16_t>;
  // 1 + 2^-11, 1 + 2^-10 + 2^-11; 65504 + 8, + 16; 2^-24 + 2^-24; the largest subnormal + 2^-24;
  // infinity, and -1 + 1.
  EXPECT_EQ(
      bits_sum<std::uint16_t>(*comm_, DType::fp16,
                              {0x3C00, 0x3C01, 0x7BFF, 0x7BFF, 0x0001, 0x03FF, 0x7C00, 0xBC00},
                              {0x1000, 0x1000, 0x4800, 0x4C00, 0x0001, 0x0001, 0x3C00, 0x3C00}),
      (Bits{0x3C00, 0x3C02, 0x7BFF, 0x7C00, 0x0002, 0x0400, 0x7C00, 0x0000}));
  // 256 + 1, 258 + 1, the largest twice, infinity - 1.
  EXPECT_EQ(bits_sum<std::uint16_t>(*comm_, DType::bf16, {0x4380, 0x4381, 0x7F7F, 0x7F80},
                                    {0x3F80, 0x3F80, 0x7F7F, 0xBF80}),
            (Bits{0x4380, 0x4382, 0x7F80, 0x7F80}));
}

TEST_F(MpiCommunicator, EverySixteenBitNumberPlusMinusZeroIsItself) {
  if (size_ == 1) GTEST_SKIP() << "needs something to add";
  std::vector<std::uint16_t> all(1U << 16U);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const std::vector<std::uint16_t> zeros(all.size(), 0x8000);
  for (const auto& [type, infinity] :
       {std::pair(DType::fp16, 0x7C00), std::pair(DType::bf16, 0x7F80)}) {
    const std::vector<std::uint16_t> sums = bits_sum<std::uint16_t>(*comm_, type, all, zeros);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool number = (i & 0x7FFF) <= static_cast<std::size_t>(infinity);
      wrong += number ? sums[i] != all[i] : (sums[i] & 0x7FFF) <= infinity;
    }
    EXPECT_EQ(wrong, 0U) << to_string(type);
  }
}

/// Numbers of the OCP 8-bit Floating Point Specification; beyond the largest: CUDA's saturation.
TEST_F(MpiCommunicator, EightBitSumsAreRoundedToEvenAndStayFinite) {
  if (size_ == 1) GTEST_SKIP() << "needs something to add";
  using Bits = std::vector<std::uint8_t>;
  // 16 + 1, 18 + 1; 448 + 448; 2^-9 + 2^-9; the largest subnormal + 2^-9; -1 + 1.
  EXPECT_EQ(bits_sum<std::uint8_t>(*comm_, DType::fp8_e4m3, {0x58, 0x59, 0x7E, 0x01, 0x07, 0xB8},
                                   {0x38, 0x38, 0x7E, 0x01, 0x01, 0x38}),
            (Bits{0x58, 0x5A, 0x7E, 0x02, 0x08, 0x00}));
  // 8 + 1, 10 + 1; 57344 twice; 2^-16 + 2^-16; the largest subnormal + 2^-16.
  EXPECT_EQ(bits_sum<std::uint8_t>(*comm_, DType::fp8_e5m2, {0x48, 0x49, 0x7B, 0x01, 0x03},
                                   {0x3C, 0x3C, 0x7B, 0x01, 0x01}),
            (Bits{0x48, 0x4A, 0x7B, 0x02, 0x04}));
}

TEST_F(MpiCommunicator, ForgottenRequestsAreWaitedFor) {
  std::vector<double> data(200'000, 1.0);
  comm_->start_allreduce(data.data(), data.size(), DType::fp64, ReduceOp::sum).reset();
  EXPECT_THAT(data, Each(static_cast<double>(size_)));
}

TEST_F(MpiCommunicator, WhatMpiDoesNotHaveIsSaid) {
  using device::MemoryKind;
  EXPECT_EQ(comm_->why_not(DType::fp32, ReduceOp::sum, MemoryKind::device),
            "device memory needs a CUDA device");
  EXPECT_EQ(comm_->why_not(Call{.mode = Mode::graph}, MemoryKind::pageable),
            "MPI's operations are not recorded as CUDA graphs");
  double x[2] = {};
  EXPECT_THROW(comm_->prepare({.mode = Mode::graph}), Unavailable);
  EXPECT_THROW(comm_->start_reduce_scatter(x, x, std::size_t{1} << 31, DType::fp32, ReduceOp::sum),
               Unavailable);
  EXPECT_THROW(comm_->allreduce(x, x, std::size_t{1} << 31, DType::int8, ReduceOp::sum, *stream_),
               Unavailable);
}

TEST_F(MpiCommunicator, WhatIsOursIsSaid) {
  for (const DType type : {DType::int8, DType::int32, DType::int64, DType::fp32, DType::fp64}) {
    EXPECT_FALSE(comm_->is_emulated(type, ReduceOp::max)) << to_string(type);
    EXPECT_TRUE(comm_->is_emulated(type, ReduceOp::avg)) << to_string(type);
  }
  EXPECT_TRUE(comm_->is_emulated(DType::fp16, ReduceOp::sum));
  EXPECT_TRUE(comm_->is_emulated(DType::bf16, ReduceOp::min));
  EXPECT_TRUE(comm_->is_emulated(DType::fp8_e4m3, ReduceOp::max));
}

TEST_F(MpiCommunicator, LibraryErrorsAreExceptions) {
  double x = 0;
  EXPECT_THROW(comm_->send(&x, 1, DType::fp64, size_ + 3, *stream_), Error);
  EXPECT_THROW(comm_->broadcast(&x, 1, DType::fp64, -5, *stream_), Error);
}

TEST(NcclCommunicator, WithoutNcclOrGpuThereIsAReasonOnAllRanks) {
  const auto host = device::make_host_device();
  EXPECT_THROW(make_nccl_communicator(test::world(), *host), Unavailable);
}

}  // namespace
}  // namespace scalemark::collective
