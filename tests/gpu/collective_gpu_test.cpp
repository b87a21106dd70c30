// SPDX-License-Identifier: Apache-2.0
// NCCL, and MPI through staging, on device memory: one rank a GPU, against values worked out by
// hand.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/collective/half.hpp"
#include "common/collective/interruption.hpp"
#include "common/collective/nccl_operation.hpp"
#include "tests/gpu/on_gpus.hpp"

namespace scalemark::collective {
namespace {

using device::Buffer;
using device::MemoryKind;
using ::testing::Each;

class OnGpus : public test::OnGpus {
 protected:
  void expect_right_results(Communicator& comm) {
    const int rank = comm.rank(), size = comm.size();
    const auto ranks = static_cast<std::size_t>(size);
    for (const std::size_t count : {std::size_t{1}, std::size_t{1001}, std::size_t{1} << 20}) {
      ASSERT_EQ(comm.why_not(DType::fp32, ReduceOp::sum, MemoryKind::device), "");
      const Buffer in = upload(std::vector<float>(count, static_cast<float>(rank + 1)));
      const Buffer out = upload(std::vector<float>(count, -1.0F));
      comm.allreduce(in.data(), out.data(), count, DType::fp32, ReduceOp::sum, *stream_);
      const int sum = size * (size + 1) / 2;
      EXPECT_THAT(download<float>(out), Each(static_cast<float>(sum)));
      comm.allreduce(in.data(), in.data(), count, DType::fp32, ReduceOp::max, *stream_);
      EXPECT_THAT(download<float>(in), Each(static_cast<float>(size)));

      const Buffer mine = upload(std::vector<std::int64_t>(count, rank));
      const Buffer all = upload(std::vector<std::int64_t>(count * ranks, -1));
      comm.allgather(mine.data(), all.data(), count, DType::int64, *stream_);
      const std::vector<std::int64_t> gathered = download<std::int64_t>(all);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < gathered.size(); ++i)
        wrong += gathered[i] != static_cast<std::int64_t>(i / count);
      EXPECT_EQ(wrong, 0U);

      for (int root = 0; root < size; ++root) {
        const Buffer data = upload(std::vector<double>(count, rank == root ? 2.5 : -1.0));
        comm.broadcast(data.data(), count, DType::fp64, root, *stream_);
        EXPECT_THAT(download<double>(data), Each(2.5));
      }
    }
    comm.barrier();
  }

  void expect_ping_pong(Communicator& comm) {
    if (comm.rank() > 1) return;
    const int peer = 1 - comm.rank();
    const Buffer out = upload(std::vector<std::int32_t>(999, 10 + comm.rank()));
    const Buffer in = upload(std::vector<std::int32_t>(999, -1));
    if (comm.rank() == 0) comm.send(out.data(), 999, DType::int32, peer, *stream_);
    comm.recv(in.data(), 999, DType::int32, peer, *stream_);
    if (comm.rank() == 1) comm.send(out.data(), 999, DType::int32, peer, *stream_);
    EXPECT_THAT(download<std::int32_t>(in), Each(10 + peer));
  }
};

class NcclCommunicator : public OnGpus {
 protected:
  void SetUp() override {
    OnGpus::SetUp();
    if (IsSkipped()) return;
    if (nccl_version().empty()) GTEST_SKIP() << "built without NCCL";
    comm_ = make_nccl_communicator(test::world(), *gpu_);
  }
  /// The sum of 1.5 over all ranks, whose bits differ between the types.
  template <typename Half>
  void expect_sum(DType type) {
    const Buffer data = upload(std::vector<std::uint16_t>(64, Half::narrow(1.5F)));
    comm_->allreduce(data.data(), data.data(), 64, type, ReduceOp::sum, *stream_);
    const std::uint16_t sum = Half::narrow(1.5F * static_cast<float>(comm_->size()));
    EXPECT_THAT(download<std::uint16_t>(data), Each(sum)) << to_string(type);
  }
  std::unique_ptr<Communicator> comm_;
};

TEST_F(NcclCommunicator, ComputesAndGathers) {
  EXPECT_EQ(comm_->backend(), "nccl");
  EXPECT_EQ(comm_->size(), test::world().size());
  expect_right_results(*comm_);
}

TEST_F(NcclCommunicator, SendsAndReceives) {
  if (comm_->size() == 1) GTEST_SKIP() << "needs a peer";
  expect_ping_pong(*comm_);
}

TEST_F(NcclCommunicator, AveragesAndTakesHalfPrecision) {
  const Buffer data = upload(std::vector<float>(100, static_cast<float>(2 * comm_->rank())));
  comm_->allreduce(data.data(), data.data(), 100, DType::fp32, ReduceOp::avg, *stream_);
  EXPECT_THAT(download<float>(data), Each(static_cast<float>(comm_->size() - 1)));
  expect_sum<Bf16>(DType::bf16);
  expect_sum<Fp16>(DType::fp16);
}

TEST_F(NcclCommunicator, PredictsWithoutRunning) {
  const Buffer data = upload(std::vector<float>(1 << 20, 1.0F));
  Call call{.routine = Routine::allreduce,
            .in = data.data(),
            .out = data.data(),
            .count = 1 << 20,
            .type = DType::fp32,
            .stream = stream_.get()};
  const std::optional<double> large = comm_->predicted_seconds(call);
  call.count = 1;
  const std::optional<double> small = comm_->predicted_seconds(call);
  call.routine = Routine::alltoall;
  EXPECT_FALSE(comm_->predicted_seconds(call)) << "messages, of which NCCL predicts nothing";
  EXPECT_THAT(download<float>(data), Each(1.0F));
  expect_right_results(*comm_);
  if (comm_->size() == 1) {
    EXPECT_FALSE(large) << "one rank's collective would run";
    return;
  }
  ASSERT_TRUE(small && large);
  EXPECT_GT(*small, 1e-7);
  EXPECT_LT(*small, *large);
  EXPECT_LT(*large, 1.0);
}

TEST_F(NcclCommunicator, AGroupThatFailsIsClosed) {
  const Buffer data = upload(std::vector<float>(8));
  const Transfer to_nobody{.data = data.data(), .count = 8, .peer = comm_->size()};
  const auto operation =
      comm_->prepare(std::span(&to_nobody, 1), DType::fp32, Mode::blocking, stream_.get());
  EXPECT_THROW(operation->start(), Error);
  // Inside an open group nothing would be started.
  expect_right_results(*make_nccl_communicator(test::world(), *gpu_));
}

TEST_F(NcclCommunicator, AGraphMayBeTheFirstOperation) {
  const auto fresh = make_nccl_communicator(test::world(), *gpu_);
  const Buffer data = upload(std::vector<float>(8, 1.0F));
  const auto operation = fresh->prepare({.routine = Routine::allreduce,
                                         .in = data.data(),
                                         .out = data.data(),
                                         .count = 8,
                                         .type = DType::fp32,
                                         .mode = Mode::graph,
                                         .stream = stream_.get()});
  EXPECT_THAT(download<float>(data), Each(static_cast<float>(fresh->size()))) << "the eager call";
  operation->run();
  EXPECT_THAT(download<float>(data), Each(static_cast<float>(fresh->size() * fresh->size())));
}

// NCCL aborts a communicator only when the graphs with its operations are gone.
TEST_F(NcclCommunicator, ARankThatWaitsInAGraphIsFreed) {
  if (comm_->size() == 1) GTEST_SKIP() << "needs a peer";
  if (!comm_->can_free_peers()) GTEST_SKIP() << "MPI takes calls of one thread only";
  const Buffer data = upload(std::vector<float>(8, 1.0F));
  auto operation = comm_->prepare({.routine = Routine::allreduce,
                                   .in = data.data(),
                                   .out = data.data(),
                                   .count = 8,
                                   .type = DType::fp32,
                                   .mode = Mode::graph,
                                   .stream = stream_.get()});
  if (comm_->rank() == 0) {
    comm_->free_peers();
  } else {
    std::atomic<bool> is_over = false;
    std::thread watchdog([&] {
      while (!is_over) {
        comm_->look_for_failures();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    // By the watchdog, or by NCCL itself, which may see first that the other rank has gone.
    try {
      operation->run();
      ADD_FAILURE() << "it was not freed";
    } catch (const Interrupted&) {
    } catch (const Error&) {
    }
    operation.reset();
    is_over = true;
    watchdog.join();
  }
  operation.reset();
  comm_->abandon();
  expect_right_results(*make_nccl_communicator(test::world(), *gpu_));
}

TEST_F(NcclCommunicator, ACaptureThatFailsIsEnded) {
  int calls = 0;
  const auto fail_in_capture = [&] {
    if (++calls == 2) throw Error("injected");
  };
  Interruption none;
  EXPECT_THROW(make_graph_operation(fail_in_capture, {*stream_, none, [] {}}), Error);
  EXPECT_EQ(calls, 2);
  stream_->synchronize();  // a stream under capture refuses this
  expect_right_results(*comm_);
}

TEST_F(NcclCommunicator, ACaptureThatBecameInvalidLeavesNoErrorBehind) {
  int calls = 0;
  const auto wait_in_capture = [&] {
    if (++calls == 2) stream_->synchronize();
  };
  Interruption none;
  EXPECT_THROW(make_graph_operation(wait_in_capture, {*stream_, none, [] {}}), Error);
  EXPECT_EQ(calls, 2);
  const Buffer from = upload(std::vector<float>(8, 2.0F)), to = upload(std::vector<float>(8));
  gpu_->copy_by_kernel(to.data(), from.data(), to.bytes(), *stream_);
  stream_->synchronize();
  EXPECT_THAT(download<float>(to), Each(2.0F));
}

TEST_F(NcclCommunicator, HostMemoryIsRefusedWithTheReason) {
  EXPECT_EQ(comm_->why_not(DType::fp32, ReduceOp::sum, MemoryKind::pageable),
            "NCCL needs device memory, not pageable");
  float x = 0;
  EXPECT_THROW(comm_->start_allreduce(&x, 1, DType::fp32, ReduceOp::sum), Unavailable);
  EXPECT_THROW(comm_->start_allgather(&x, &x, 1, DType::fp32), Unavailable);
}

TEST_F(NcclCommunicator, TwoRanksOnOneGpuAreRefusedOnAllRanks) {
  if (comm_->size() == 1) GTEST_SKIP() << "needs two ranks";
  if (shares_) GTEST_SKIP() << "the ranks of this test share GPUs under names of different hosts";
  const auto first = device::make_cuda_device(0);
  EXPECT_THROW(make_nccl_communicator(test::world(), *first), Unavailable);
}

TEST_F(OnGpus, MpiStagesDeviceMemory) {
  const auto comm = make_mpi_communicator(test::world(), *gpu_);
  expect_right_results(*comm);
  if (comm->size() > 1) expect_ping_pong(*comm);
}

}  // namespace
}  // namespace scalemark::collective
