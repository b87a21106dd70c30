// SPDX-License-Identifier: Apache-2.0
// gloo on 1, 2 and 4 ranks: sums, broadcasts, data parallelism as over MPI, and ranks that fail.
#include <array>
#include <cerrno>
#include <chrono>
#include <string>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/torch/fingerprint.hpp"
#include "common/torch/parallel/ddp.hpp"
#include "common/torch/process_group/rendezvous.hpp"
#include "tests/common/torch/group_checks.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::torch_support {
namespace {

using std::chrono::seconds;
constexpr seconds kTimeout{600};

class Gloo : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_gloo()) GTEST_SKIP() << "this build has no gloo";
    group = make_gloo_process_group(test::world(), kTimeout);
  }
  int rank = test::world().rank(), size = test::world().size();
  ProcessGroupPtr group;
};

TEST_F(Gloo, KnowsItsRanks) {
  EXPECT_EQ(group->getRank(), rank);
  EXPECT_EQ(group->getSize(), size);
  EXPECT_EQ(group->getBackendName(), "gloo");
}

TEST_F(Gloo, SumsAndBroadcasts) {
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt}) {
    std::vector<at::Tensor> tensors{at::arange(100, at::TensorOptions(type)).add_(rank)};
    group->allreduce(tensors)->wait();
    const at::Tensor want =
        at::arange(100, at::TensorOptions(at::kLong)) * size + size * (size - 1) / 2;
    // bf16 holds integers up to 256 exactly.
    const std::int64_t exact = type == at::kBFloat16 ? 40 : 100;
    EXPECT_TRUE(at::equal(tensors[0].slice(0, 0, exact).to(at::kLong), want.slice(0, 0, exact)))
        << type;
  }
  for (int root = 0; root < size; ++root) {
    std::vector<at::Tensor> tensors{at::full({77}, rank, at::kDouble)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    group->broadcast(tensors, options)->wait();
    EXPECT_TRUE(tensors[0].eq(root).all().item<bool>());
  }
}

TEST_F(Gloo, GathersAndGivesPartsOfSums) {
  expect_gathered(*group,
                  {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kByte, at::kChar});
  expect_parts_of_sums(*group, {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16});
}

TEST_F(Gloo, GroupsComeAndGo) {
  for (int i = 0; i < 5; ++i) {
    group = make_gloo_process_group(test::world(), kTimeout);
    std::vector<at::Tensor> tensors{at::full({10}, i + rank, at::kFloat)};
    group->allreduce(tensors)->wait();
    EXPECT_TRUE(tensors[0].eq(size * i + size * (size - 1) / 2).all().item<bool>());
  }
}

/// Parameters after five steps in training mode, each rank with its own images.
std::vector<at::Tensor> trained(const ProcessGroupPtr& group, const DdpOptions& options) {
  at::manual_seed(3);
  torch::nn::Sequential net(torch::nn::Linear(20, 64), torch::nn::BatchNorm1d(64),
                            torch::nn::Linear(64, 64), torch::nn::Linear(64, 5));
  net->to(at::kDouble);
  Ddp ddp(net.ptr(), group, options);
  torch::optim::SGD optimiser(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  at::manual_seed(100 + static_cast<std::uint64_t>(group->getRank()));
  for (int step = 0; step < 5; ++step) {
    const at::Tensor images = at::randn({8, 20}, at::kDouble), labels = at::randint(5, {8});
    ddp.before_forward();
    const at::Tensor loss = torch::nn::functional::cross_entropy(net->forward(images), labels);
    ddp.before_backward();
    loss.backward();
    optimiser.step();
    ddp.zero_gradients();
  }
  return net->parameters();
}

TEST_F(Gloo, DataParallelismIsThatOverMpi) {
  const auto host = device::make_host_device();
  const auto comm = collective::make_mpi_communicator(test::world(), *host);
  const ProcessGroupPtr mpi = make_mpi_process_group(*comm);
  for (const bool small_buckets : {false, true}) {
    for (const bool buffers : {false, true}) {
      DdpOptions options;
      options.broadcast_buffers = buffers;
      if (small_buckets) options.first_bucket_bytes = options.bucket_bytes = 4096;
      const std::vector<at::Tensor> got = trained(group, options), want = trained(mpi, options);
      EXPECT_TRUE(equal_on_all_ranks(test::world(), fingerprint(got)));
      double difference = 0;
      for (std::size_t i = 0; i < want.size(); ++i) {
        difference = std::max(difference, (got[i] - want[i]).abs().max().item<double>());
      }
      EXPECT_LT(difference, size == 2 ? 1e-14 : 1e-12) << small_buckets << buffers;
    }
  }
}

bool reduces(const ProcessGroupPtr& group) {
  try {
    std::vector<at::Tensor> tensors{at::ones({1000})};
    group->allreduce(tensors)->wait();
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

/// Gloo writes to sockets that another rank may have closed.
TEST_F(Gloo, AWriteToAClosedConnectionDoesNotEndTheProcess) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
}

/// Waiting for the group's timeout would take longer than this test may.
TEST_F(Gloo, ARankThatFailsIsNoticedAtOnce) {
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  if (rank != 1) {
    EXPECT_FALSE(reduces(group));
  }
  group.reset();
  test::world().sleeping_barrier();
}

TEST_F(Gloo, ARankThatStaysAwayIsWaitedForNoLongerThanTheTimeout) {
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  group = make_gloo_process_group(test::world(), seconds(1));
  if (rank != 1) {
    EXPECT_FALSE(reduces(group));
  }
  test::world().sleeping_barrier();
  group.reset();
}

TEST(Rendezvous, OneRankThatCannotTakePartIsEveryRanksError) {
  const mpi::Comm& world = test::world();
  all_or_none(world, [] {});
  const int culprit = world.size() - 1;
  try {
    all_or_none(world, [&] {
      if (world.rank() == culprit) throw Error("no such door\nsecond line");
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "rank " + std::to_string(culprit) + ": no such door");
  }
}

TEST(Rendezvous, RanksOfOneNodeMeetOnLoopback) {
  const mpi::Comm& world = test::world();
  const Rendezvous meeting = make_rendezvous(world);
  if (world.split_node().size() == world.size()) {
    EXPECT_EQ(meeting.address, "127.0.0.1");
  }
  meeting.store->set("rank " + std::to_string(world.rank()), "here");
  for (int i = 0; i < world.size(); ++i)
    EXPECT_EQ(meeting.store->get_to_str("rank " + std::to_string(i)), "here");
  world.sleeping_barrier();
}

}  // namespace
}  // namespace scalemark::torch_support
