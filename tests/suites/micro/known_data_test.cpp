// SPDX-License-Identifier: Apache-2.0
// Known data against the reductions' definitions, computed in the type itself in several orders;
// blocks of results against routines worked out by hand.
#include "suites/micro/data/known_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/collective/fp8.hpp"
#include "common/collective/half.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::DType;
using collective::ReduceOp;
using collective::Routine;
using Bytes = std::vector<std::uint8_t>;

constexpr DType kTypes[] = {DType::int8,  DType::uint8,  DType::int32,    DType::uint32,
                            DType::int64, DType::uint64, DType::fp16,     DType::bf16,
                            DType::fp32,  DType::fp64,   DType::fp8_e4m3, DType::fp8_e5m2};
/// Holds all values of all types exactly.
using Exact = long double;
constexpr std::size_t kCount = 300;

template <typename T>
T element(const Bytes& bytes, std::size_t i) {
  T value{};
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

Exact decode(DType type, const Bytes& bytes, std::size_t i) {
  switch (type) {
    case DType::int8:
      return element<std::int8_t>(bytes, i);
    case DType::uint8:
      return element<std::uint8_t>(bytes, i);
    case DType::int32:
      return element<std::int32_t>(bytes, i);
    case DType::uint32:
      return element<std::uint32_t>(bytes, i);
    case DType::int64:
      return static_cast<Exact>(element<std::int64_t>(bytes, i));
    case DType::uint64:
      return static_cast<Exact>(element<std::uint64_t>(bytes, i));
    case DType::fp16:
      return collective::Fp16::widen(element<std::uint16_t>(bytes, i));
    case DType::bf16:
      return collective::Bf16::widen(element<std::uint16_t>(bytes, i));
    case DType::fp8_e4m3:
      return collective::Fp8E4m3::widen(element<std::uint8_t>(bytes, i));
    case DType::fp8_e5m2:
      return collective::Fp8E5m2::widen(element<std::uint8_t>(bytes, i));
    case DType::fp32:
      return element<float>(bytes, i);
    case DType::fp64:
      return element<double>(bytes, i);
  }
  return 0;
}

template <typename T>
void store(Bytes& bytes, std::size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
}

/// Rounds to the type; integers wrap.
void encode(DType type, Bytes& bytes, std::size_t i, Exact x) {
  switch (type) {
    case DType::int8:
      return store(bytes, i, static_cast<std::int8_t>(static_cast<std::int64_t>(x)));
    case DType::uint8:
      return store(bytes, i, static_cast<std::uint8_t>(static_cast<std::uint64_t>(x)));
    case DType::int32:
      return store(bytes, i, static_cast<std::int32_t>(static_cast<std::int64_t>(x)));
    case DType::uint32:
      return store(bytes, i, static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
    case DType::int64:
      return store(bytes, i, static_cast<std::int64_t>(x));
    case DType::uint64:
      return store(bytes, i, static_cast<std::uint64_t>(x));
    case DType::fp16:
      return store(bytes, i, collective::Fp16::narrow(static_cast<float>(x)));
    case DType::bf16:
      return store(bytes, i, collective::Bf16::narrow(static_cast<float>(x)));
    case DType::fp8_e4m3:
      return store(bytes, i, collective::Fp8E4m3::narrow(static_cast<float>(x)));
    case DType::fp8_e5m2:
      return store(bytes, i, collective::Fp8E5m2::narrow(static_cast<float>(x)));
    case DType::fp32:
      return store(bytes, i, static_cast<float>(x));
    case DType::fp64:
      return store(bytes, i, static_cast<double>(x));
  }
}

Exact combine(ReduceOp op, Exact a, Exact b) {
  switch (op) {
    case ReduceOp::prod:
      return a * b;
    case ReduceOp::min:
      return std::min(a, b);
    case ReduceOp::max:
      return std::max(a, b);
    default:
      return a + b;
  }
}

Bytes of_rank(const KnownData& data, DType type, int rank, std::size_t position) {
  Bytes bytes(kCount * size_of(type));
  data.write(bytes.data(), kCount, rank, position);
  return bytes;
}

/// The reduction in the order of `ranks`, in the type's own arithmetic.
Bytes reduce(const KnownData& data, DType type, ReduceOp op, const std::vector<int>& ranks,
             std::size_t position) {
  Bytes result = of_rank(data, type, ranks.front(), position);
  for (std::size_t next = 1; next < ranks.size(); ++next) {
    const Bytes other = of_rank(data, type, ranks[next], position);
    for (std::size_t i = 0; i < kCount; ++i)
      encode(type, result, i, combine(op, decode(type, result, i), decode(type, other, i)));
  }
  if (op == ReduceOp::avg) {
    for (std::size_t i = 0; i < kCount; ++i)
      encode(type, result, i, decode(type, result, i) / static_cast<Exact>(ranks.size()));
  }
  return result;
}

TEST(KnownData, ReductionsAreExactInEveryTypeAndOrder) {
  std::mt19937 random(7);
  for (const DType type : kTypes) {
    for (const ReduceOp op :
         {ReduceOp::sum, ReduceOp::prod, ReduceOp::min, ReduceOp::max, ReduceOp::avg}) {
      for (const int ranks : {1, 2, 3, 4, 7, 64, 300}) {
        // More ranks than the type counts exactly are special in these only.
        if (ranks > 64 && type != DType::int8 && type != DType::uint8 && type != DType::bf16 &&
            !is_fp8(type))
          continue;
        SCOPED_TRACE(fmt::format("{} {} {} ranks", to_string(type), to_string(op), ranks));
        const KnownData data(11, type, op, ranks);
        std::vector<int> order(static_cast<std::size_t>(ranks));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        const std::size_t position = KnownData::kPeriod - 17;  // over the end, and from the begin
        const Bytes result = reduce(data, type, op, order, position);
        ASSERT_EQ(data.wrong_reduction(result.data(), kCount, position), 0U);
      }
    }
  }
}

/// A library that takes them for signed numbers finds others.
TEST(KnownData, UnsignedMinimaAreNotThoseOfSignedNumbers) {
  for (const auto& [type, as_signed] : {std::pair(DType::uint8, DType::int8),
                                        {DType::uint32, DType::int32},
                                        {DType::uint64, DType::int64}}) {
    for (const ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
      const KnownData data(3, type, op, 3);
      EXPECT_EQ(data.wrong_reduction(reduce(data, type, op, {0, 1, 2}, 0).data(), kCount, 0), 0U);
      EXPECT_GT(data.wrong_reduction(reduce(data, as_signed, op, {0, 1, 2}, 0).data(), kCount, 0),
                kCount / 4);
    }
  }
}

TEST(KnownData, AWrongElementIsCountedInEveryType) {
  for (const DType type : kTypes) {
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max}) {
      const KnownData data(3, type, op, 3);
      Bytes result = reduce(data, type, op, {0, 1, 2}, 5);
      result[17 * size_of(type)] ^= 1U;  // the last bit of an element
      result[42 * size_of(type)] ^= 1U;
      EXPECT_EQ(data.wrong_reduction(result.data(), kCount, 5), 2U) << to_string(type);
    }
  }
}

TEST(KnownData, AveragesMayBeTwoUnitsOff) {
  const KnownData data(3, DType::fp32, ReduceOp::avg, 3);
  Bytes result = reduce(data, DType::fp32, ReduceOp::avg, {0, 1, 2}, 0);
  const auto first = static_cast<double>(decode(DType::fp32, result, 0));
  ASSERT_GE(first, 1);
  const double unit = std::ldexp(1.0, std::ilogb(first) - 23);
  for (const auto& [units, wrong] : {std::pair(2, 0U), {-2, 0U}, {3, 1U}, {-3, 1U}}) {
    encode(DType::fp32, result, 0, first + units * unit);
    EXPECT_EQ(data.wrong_reduction(result.data(), kCount, 0), wrong) << units;
  }
}

TEST(KnownData, AForgottenRankAnotherSeedAndAShiftShow) {
  for (const DType type : kTypes) {
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::min, ReduceOp::max}) {
      SCOPED_TRACE(fmt::format("{} {}", to_string(type), to_string(op)));
      const KnownData data(1, type, op, 4), other(2, type, op, 4);
      const auto wrong = [&](const std::vector<int>& ranks) {
        return data.wrong_reduction(reduce(data, type, op, ranks, 0).data(), kCount, 0);
      };
      EXPECT_GT(wrong({0, 1, 2}), 10U);
      if (op == ReduceOp::sum || op == ReduceOp::prod) {
        EXPECT_GT(wrong({0, 1, 2, 3, 3}), 10U);
      }
      const Bytes whole = reduce(data, type, op, {0, 1, 2, 3}, 0);
      EXPECT_GT(other.wrong_reduction(whole.data(), kCount, 0), kCount / 4);
      EXPECT_GT(data.wrong_reduction(whole.data(), kCount, 1), kCount / 4);
    }
  }
}

TEST(KnownData, MovedDataAreTheSendersAtTheirPlace) {
  const KnownData data(9, DType::fp64), other(10, DType::fp64);
  const Bytes bytes = of_rank(data, DType::fp64, 2, 4000);
  EXPECT_EQ(data.wrong(bytes.data(), kCount, 2, 4000), 0U);
  EXPECT_EQ(data.wrong(bytes.data(), kCount, 2, 4000 + KnownData::kPeriod), 0U);
  EXPECT_EQ(data.wrong(bytes.data(), kCount, 2, 4001), kCount);
  EXPECT_EQ(data.wrong(bytes.data(), kCount, 1, 4000), kCount);
  EXPECT_EQ(other.wrong(bytes.data(), kCount, 2, 4000), kCount);
}

struct Expected {
  std::size_t offset, count;
  int sender;
  std::size_t position;
};

void expect_blocks(const Call& call, int rank, const std::vector<Expected>& expected) {
  const std::vector<Block> blocks = result_blocks(call, rank, 3);
  ASSERT_EQ(blocks.size(), expected.size()) << to_string(call.routine);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].offset, expected[i].offset);
    EXPECT_EQ(blocks[i].count, expected[i].count);
    EXPECT_EQ(blocks[i].sender, expected[i].sender);
    EXPECT_EQ(blocks[i].position, expected[i].position);
  }
}

TEST(ResultBlocks, OfRankTwoOfThreeWithRootOne) {
  const auto call = [](Routine routine) {
    Call one{.routine = routine, .count = 5, .root = 1};
    one.to = one.from = {5, 5, 5};
    return one;
  };
  expect_blocks(call(Routine::barrier), 2, {});
  expect_blocks(call(Routine::allreduce), 2, {{0, 5, Block::kReduced, 0}});
  expect_blocks(call(Routine::reduce), 2, {});
  expect_blocks(call(Routine::reduce), 1, {{0, 5, Block::kReduced, 0}});
  for (const Routine routine : {Routine::reduce_scatter, Routine::reduce_scatter_block})
    expect_blocks(call(routine), 2, {{0, 5, Block::kReduced, 10}});
  expect_blocks(call(Routine::broadcast), 2, {{0, 5, 1, 0}});
  for (const Routine routine : {Routine::scatter, Routine::scatterv})
    expect_blocks(call(routine), 2, {{0, 5, 1, 10}});
  for (const Routine routine : {Routine::gather, Routine::gatherv}) {
    expect_blocks(call(routine), 2, {});
    expect_blocks(call(routine), 1, {{0, 5, 0, 0}, {5, 5, 1, 0}, {10, 5, 2, 0}});
  }
  for (const Routine routine : {Routine::allgather, Routine::allgatherv})
    expect_blocks(call(routine), 2, {{0, 5, 0, 0}, {5, 5, 1, 0}, {10, 5, 2, 0}});
  for (const Routine routine : {Routine::alltoall, Routine::alltoallv, Routine::alltoallw})
    expect_blocks(call(routine), 2, {{0, 5, 0, 10}, {5, 5, 1, 10}, {10, 5, 2, 10}});
}

/// Ranks 0, 1 and 2 are sent 9, 4 and 2 by each, or send so many to each.
TEST(ResultBlocks, OfSkewedParts) {
  for (const Routine routine : {Routine::alltoallv, Routine::alltoallw}) {
    Call dispatch{.routine = routine}, combine{.routine = routine};
    dispatch.to = combine.from = {9, 4, 2};
    dispatch.from = combine.to = {2, 2, 2};
    expect_blocks(dispatch, 2, {{0, 2, 0, 13}, {2, 2, 1, 13}, {4, 2, 2, 13}});
    expect_blocks(combine, 2, {{0, 9, 0, 18}, {9, 4, 1, 8}, {13, 2, 2, 4}});
  }
}

/// Rank 2 gets from rank 1, whose second target it is, and from rank 0, whose first it is.
TEST(ResultBlocks, OfANeighborhood) {
  const auto call = [](Routine routine) {
    return Call{
        .routine = routine,
        .count = 5,
        .neighbors = {.sources = {1, 0}, .targets = {0}, .places = {1, 0}, .most_targets = 2}};
  };
  for (const Routine routine : {Routine::neighbor_allgather, Routine::neighbor_allgatherv})
    expect_blocks(call(routine), 2, {{0, 5, 1, 0}, {5, 5, 0, 0}});
  for (const Routine routine :
       {Routine::neighbor_alltoall, Routine::neighbor_alltoallv, Routine::neighbor_alltoallw})
    expect_blocks(call(routine), 2, {{0, 5, 1, 5}, {5, 5, 0, 0}});
}

}  // namespace
}  // namespace scalemark::micro
