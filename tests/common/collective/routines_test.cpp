// SPDX-License-Identifier: Apache-2.0
// Every collective routine in every mode, type and place against its definition, on 1 to 4 ranks;
// and the same routines made of messages.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/collective/messages.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kGuard = 0xEE;
constexpr Routine kMoving[] = {Routine::allgather, Routine::allgatherv, Routine::broadcast,
                               Routine::gather,    Routine::gatherv,    Routine::scatter,
                               Routine::scatterv,  Routine::alltoall,   Routine::alltoallv,
                               Routine::alltoallw};

bool has_counts(Routine routine) {
  return routine == Routine::allgatherv || routine == Routine::gatherv ||
         routine == Routine::scatterv || routine == Routine::alltoallv ||
         routine == Routine::alltoallw;
}

/// What `sender` has for `receiver` at byte i: of no part alike.
std::uint8_t byte_of(int sender, int receiver, std::size_t i) {
  return static_cast<std::uint8_t>(sender * 67 + receiver * 29 + static_cast<int>(i % 251) * 3);
}

class Routines : public ::testing::Test {
 protected:
  std::unique_ptr<device::Device> host_ = device::make_host_device();
  std::unique_ptr<Communicator> comm_ = make_mpi_communicator(test::world(), *host_);
  int rank_ = comm_->rank(), size_ = comm_->size();

  /// Elements from `sender` to `receiver`: all alike, or unequal with zeros among them.
  std::size_t part(const Call& call, int sender, int receiver) const {
    if (!has_counts(call.routine)) return call.count;
    switch (call.routine) {
      case Routine::scatterv:
        return call.count * static_cast<std::size_t>(receiver % 3);
      case Routine::alltoallv:
      case Routine::alltoallw:
        return call.count * static_cast<std::size_t>((sender + 2 * receiver) % 3);
      default:
        return call.count * static_cast<std::size_t>(sender % 3);
    }
  }
  bool goes(const Call& call, int sender, int receiver) const {
    switch (call.routine) {
      case Routine::gather:
      case Routine::gatherv:
        return receiver == call.root;
      case Routine::broadcast:
      case Routine::scatter:
      case Routine::scatterv:
        return sender == call.root;
      default:
        return true;
    }
  }
  /// Whether each receiver has bytes of its own.
  static bool apart(Routine routine) {
    return routine == Routine::scatter || routine == Routine::scatterv || exchanges(routine);
  }

  void add_counts(Call& call) const {
    if (!has_counts(call.routine)) return;
    for (int other = 0; other < size_; ++other) {
      call.from.push_back(part(call, other, rank_));
      call.to.push_back(part(call, rank_, other));
    }
  }
  Bytes input(const Call& call) const {
    Bytes bytes;
    for (int receiver = 0; receiver < size_; ++receiver) {
      if (!apart(call.routine) && receiver > 0) break;
      if (!apart(call.routine) && has_root(call.routine) && call.routine == Routine::broadcast &&
          rank_ != call.root)
        break;
      if (apart(call.routine) && !goes(call, rank_, receiver)) continue;
      const std::size_t n = part(call, rank_, receiver) * size_of(call.type);
      for (std::size_t i = 0; i < n; ++i)
        bytes.push_back(byte_of(rank_, apart(call.routine) ? receiver : 0, i));
    }
    return bytes;
  }
  Bytes expected(const Call& call) const {
    Bytes bytes;
    for (int sender = 0; sender < size_; ++sender) {
      if (!goes(call, sender, rank_)) continue;
      const std::size_t n = part(call, sender, rank_) * size_of(call.type);
      for (std::size_t i = 0; i < n; ++i)
        bytes.push_back(byte_of(sender, apart(call.routine) ? rank_ : 0, i));
    }
    return bytes;
  }
  /// Bytes of `out` that differ from what is expected, the guard behind them included.
  std::size_t wrong(const Call& call, const Bytes& out) const {
    const Bytes want = expected(call);
    std::size_t count = out.at(want.size()) != kGuard ? 1 : 0;
    for (std::size_t i = 0; i < want.size(); ++i) count += out[i] != want[i] ? 1 : 0;
    return count;
  }
  static std::string name(const Call& call) {
    return fmt::format("{} {} {} count {} root {}", to_string(call.routine), to_string(call.mode),
                       to_string(call.type), call.count, call.root);
  }
};

TEST_F(Routines, DataArriveInEveryModeTwice) {
  for (const Routine routine : kMoving) {
    for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
      for (const DType type : {DType::int8, DType::bf16, DType::fp32, DType::fp64}) {
        for (const std::size_t count : {0U, 1U, 17U, 4099U}) {
          for (int root = 0; root < (has_root(routine) ? size_ : 1); ++root) {
            Call call{.routine = routine, .count = count, .type = type, .root = root, .mode = mode};
            add_counts(call);
            SCOPED_TRACE(name(call));
            Bytes in = input(call), out(expected(call).size() + 1, kGuard);
            if (routine == Routine::broadcast && rank_ == root) out = in, out.push_back(kGuard);
            call.in = routine == Routine::broadcast ? out.data() : in.data();
            call.out = out.data();
            const auto operation = comm_->prepare(call);
            operation->run();
            EXPECT_EQ(wrong(call, out), 0U);
            if (routine != Routine::broadcast) std::fill(out.begin(), out.end() - 1, 0);
            operation->start();
            while (!operation->test()) {
            }
            operation->wait();
            EXPECT_EQ(wrong(call, out), 0U) << "again";
          }
        }
      }
    }
  }
}

// Calls that are started together complete together, whichever of them is done first.
TEST_F(Routines, CallsTogetherAreTheCallsByThemselves) {
  for (const Mode mode : {Mode::nonblocking, Mode::persistent}) {
    std::vector<Call> calls;
    std::vector<Bytes> ins, outs;
    for (const Routine routine : {Routine::allgather, Routine::alltoallv, Routine::allgather}) {
      Call& call = calls.emplace_back(Call{.routine = routine,
                                           .count = 17 + 4099 * calls.size(),
                                           .type = DType::int8,
                                           .mode = mode});
      add_counts(call);
      call.in = ins.emplace_back(input(call)).data();
      call.out = outs.emplace_back(expected(call).size() + 1, kGuard).data();
    }
    const auto together = comm_->prepare_together(calls);
    EXPECT_TRUE(together->test()) << "nothing was started";
    for (int launch = 0; launch < 3; ++launch) {
      for (Bytes& out : outs) std::fill(out.begin(), out.end() - 1, 0);
      if (launch == 1) {
        together->start();
        while (!together->test()) {
        }
      } else {
        together->run();
      }
      for (std::size_t i = 0; i < calls.size(); ++i)
        EXPECT_EQ(wrong(calls[i], outs[i]), 0U) << name(calls[i]) << ", launch " << launch;
    }
  }
}

TEST_F(Routines, InPlaceIsTheSame) {
  for (const Routine routine : kMoving) {
    if (routine == Routine::broadcast) continue;
    for (const Mode mode : {Mode::blocking, Mode::nonblocking}) {
      for (int root = 0; root < (has_root(routine) ? size_ : 1); ++root) {
        Call call{
            .routine = routine, .count = 33, .type = DType::int32, .root = root, .mode = mode};
        add_counts(call);
        // MPI wants equal parts both ways in a place that holds both.
        const bool parts_equal = routine == Routine::alltoallv || routine == Routine::alltoallw;
        if (parts_equal) call.to = call.from = std::vector<std::size_t>(call.from.size(), 33);
        SCOPED_TRACE(name(call));
        Call same = call;
        if (parts_equal) same.routine = Routine::alltoall;
        Bytes in = input(same), out(expected(same).size() + 1, kGuard);
        const bool mine_is_in_out = routine == Routine::allgather ||
                                    routine == Routine::allgatherv ||
                                    (has_root(routine) && rank_ == root &&
                                     (routine == Routine::gather || routine == Routine::gatherv));
        std::size_t before = 0;
        for (int other = 0; other < rank_; ++other)
          before += part(call, other, rank_) * size_of(call.type);
        call.in = in.data();
        call.out = out.data();
        if (routine == Routine::alltoall || parts_equal) {
          std::copy(in.begin(), in.end(), out.begin());
          call.in = out.data();
        } else if (mine_is_in_out) {
          std::copy(in.begin(), in.end(), out.begin() + static_cast<std::ptrdiff_t>(before));
          call.in = out.data() + before;
        } else if (rank_ == root && !mine_is_in_out &&
                   (routine == Routine::scatter || routine == Routine::scatterv)) {
          std::size_t to_others = 0;
          for (int other = 0; other < rank_; ++other)
            to_others += part(call, rank_, other) * size_of(call.type);
          call.out = in.data() + to_others;
          comm_->prepare(call)->run();
          EXPECT_EQ(in, input(call));  // the part was where it belongs
          continue;
        }
        comm_->prepare(call)->run();
        EXPECT_EQ(wrong(same, out), 0U);
      }
    }
  }
}

TEST_F(Routines, MadeOfMessagesTheyAreTheSame) {
  for (const Routine routine : kMoving) {
    if (routine == Routine::broadcast || routine == Routine::alltoallw) continue;
    for (int root = 0; root < (has_root(routine) ? size_ : 1); ++root) {
      Call call{.routine = routine, .count = 129, .type = DType::fp16, .root = root};
      add_counts(call);
      SCOPED_TRACE(name(call));
      Bytes in = input(call), out(expected(call).size() + 1, kGuard);
      call.in = in.data();
      call.out = out.data();
      const std::vector<Transfer> messages = messages_of(call, rank_, size_);
      comm_->prepare(messages, call.type, Mode::nonblocking, nullptr)->run();
      EXPECT_EQ(wrong(call, out), 0U);
    }
  }
  EXPECT_THROW(messages_of({.routine = Routine::allreduce}, rank_, size_), Unavailable);
}

TEST_F(Routines, ReductionsReachWhomTheyConcern) {
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    for (const std::size_t count : {0U, 1U, 1000U}) {
      std::vector<std::int64_t> whole(count * static_cast<std::size_t>(size_)), part(count + 1, -7);
      for (std::size_t i = 0; i < whole.size(); ++i)
        whole[i] = static_cast<std::int64_t>(i) + 1000 * rank_;
      const auto sum = [&](std::size_t i) {
        return static_cast<std::int64_t>(i) * size_ + 500 * size_ * (size_ - 1);
      };
      for (const Routine routine : {Routine::reduce_scatter, Routine::reduce_scatter_block}) {
        std::fill(part.begin(), part.end(), -7);
        Call call{.routine = routine,
                  .in = whole.data(),
                  .out = part.data(),
                  .count = count,
                  .type = DType::int64,
                  .mode = mode};
        comm_->prepare(call)->run();
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(part[i], sum(static_cast<std::size_t>(rank_) * count + i));
        EXPECT_EQ(part[count], -7);
        // In place: where the communicator says that it is left.
        std::vector<std::int64_t> both = whole;
        call.in = both.data();
        call.out = both.data() + comm_->reduced_part(count);
        comm_->prepare(call)->run();
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(both[comm_->reduced_part(count) + i],
                    sum(static_cast<std::size_t>(rank_) * count + i));
        }
      }
      for (int root = 0; root < size_; ++root) {
        std::vector<std::int64_t> out(count, -7);
        Call to_root{.routine = Routine::reduce,
                     .in = whole.data(),
                     .out = out.data(),
                     .count = count,
                     .type = DType::int64,
                     .root = root,
                     .mode = mode};
        comm_->prepare(to_root)->run();
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], rank_ == root ? sum(i) : -7);
      }
    }
  }
}

TEST_F(Routines, AveragesAreDividedOnce) {
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    std::vector<float> data(5, static_cast<float>(4 * rank_ + 2)), out(5, -1);
    Call call{.routine = Routine::allreduce,
              .in = data.data(),
              .out = out.data(),
              .count = 5,
              .type = DType::fp32,
              .op = ReduceOp::avg,
              .mode = mode};
    const auto operation = comm_->prepare(call);
    operation->start();
    operation->wait();
    operation->wait();  // nothing is left to do
    while (!operation->test()) {
    }
    EXPECT_EQ(out, std::vector<float>(5, static_cast<float>(2 * size_)));
    operation->run();
    EXPECT_EQ(out, std::vector<float>(5, static_cast<float>(2 * size_)));
  }
  std::vector<std::int8_t> small(3, static_cast<std::int8_t>(rank_ == 0 ? -7 : 0));
  comm_->allreduce(small.data(), small.data(), 3, DType::int8, ReduceOp::avg,
                   *host_->make_stream());
  EXPECT_EQ(small[1], -7 / size_);             // towards zero
  std::vector<std::uint16_t> half(3, 0x4200);  // 3.0 in fp16
  comm_->allreduce(half.data(), half.data(), 3, DType::fp16, ReduceOp::avg, *host_->make_stream());
  EXPECT_EQ(half[2], 0x4200);
}

TEST_F(Routines, SixteenBitReductionsAreExactWhereTheyCanBe) {
  // 2, 3, 2, 3, ... in fp16 and bf16.
  for (const auto& [type, two, three] :
       {std::tuple(DType::fp16, 0x4000, 0x4200), std::tuple(DType::bf16, 0x4000, 0x4040)}) {
    const auto mine = static_cast<std::uint16_t>(rank_ % 2 == 0 ? two : three);
    const auto reduced = [&, type = type](ReduceOp op) {
      std::uint16_t value = mine;
      comm_->allreduce(&value, &value, 1, type, op, *host_->make_stream());
      return value;
    };
    EXPECT_EQ(reduced(ReduceOp::min), two);
    EXPECT_EQ(reduced(ReduceOp::max), size_ == 1 ? two : three);
    // 2, 6, 12, 36.
    const int products[][4] = {{0x4000, 0x4600, 0x4A00, 0x5080}, {0x4000, 0x40C0, 0x4140, 0x4210}};
    EXPECT_EQ(reduced(ReduceOp::prod), products[type == DType::bf16 ? 1 : 0][size_ - 1]);
  }
  // What is no number stays so.
  std::uint16_t nan = rank_ == size_ - 1 ? 0x7E00 : 0x3C00;
  comm_->allreduce(&nan, &nan, 1, DType::fp16, ReduceOp::max, *host_->make_stream());
  EXPECT_EQ(nan & 0x7C00, 0x7C00);
  EXPECT_NE(nan & 0x03FF, 0);
}

TEST_F(Routines, BarrierHoldsEveryRank) {
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    const auto barrier = comm_->prepare({.mode = mode});
    barrier->run();
    barrier->start();
    barrier->wait();
  }
}

TEST_F(Routines, CountsBeyondIntOfRoutinesWithPartsAreRefused) {
  Call call{.routine = Routine::allgatherv};
  call.from.assign(static_cast<std::size_t>(size_), std::size_t{1} << 31);
  EXPECT_THROW(comm_->prepare(call), Unavailable);
}

}  // namespace
}  // namespace scalemark::collective
