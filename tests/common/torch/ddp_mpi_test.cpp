// SPDX-License-Identifier: Apache-2.0
// Data parallelism on 1, 2 and 4 ranks: the same gradients as one rank on the whole batch.
#include <chrono>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include "common/torch/fingerprint.hpp"
#include "common/torch/parallel/ddp.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::torch_support {
namespace {

constexpr std::int64_t kBatch = 8;  // of all ranks together

struct Net : torch::nn::Module {
  Net() {
    register_module("conv", conv);
    register_module("norm", norm);
    register_module("hidden", hidden);
    register_module("last", last);
    to(at::kDouble);
  }
  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor y = at::relu(norm->forward(conv->forward(x))).flatten(1);
    return last->forward(at::relu(hidden->forward(y)));
  }
  torch::nn::Conv2d conv{torch::nn::Conv2dOptions(3, 8, 3)};
  torch::nn::BatchNorm2d norm{8};
  torch::nn::Linear hidden{8 * 6 * 6, 64}, last{64, 5};
};

at::Tensor loss_of(Net& net, const at::Tensor& x, const at::Tensor& labels) {
  return torch::nn::functional::cross_entropy(net.forward(x), labels);
}

class DdpTest : public testing::Test {
 protected:
  DdpTest() {
    at::manual_seed(7);
    images = at::randn({kBatch, 3, 8, 8}, at::kDouble);
    labels = at::randint(5, {kBatch}, at::kLong);
    at::manual_seed(100 +
                    static_cast<std::uint64_t>(rank));  // every rank starts from other parameters
    net = std::make_shared<Net>();
  }
  at::Tensor mine(const at::Tensor& all) const {
    return all.narrow(0, rank * kBatch / size, kBatch / size);
  }
  std::uint64_t bits() const { return fingerprint(net->parameters()); }

  int rank = test::world().rank(), size = test::world().size();
  std::unique_ptr<device::Device> host = device::make_host_device();
  std::unique_ptr<collective::Communicator> comm =
      collective::make_mpi_communicator(test::world(), *host);
  ProcessGroupPtr group = make_mpi_process_group(*comm);
  at::Tensor images, labels;
  std::shared_ptr<Net> net;
  /// So small that the four layers need several buckets.
  DdpOptions small_buckets{
      .first_bucket_bytes = 1024, .bucket_bytes = 8192, .broadcast_buffers = true};
};

TEST_F(DdpTest, AllRanksGetRankZerosParameters) {
  EXPECT_EQ(equal_on_all_ranks(test::world(), bits()), size == 1);
  const Ddp ddp(net, group);
  EXPECT_TRUE(equal_on_all_ranks(test::world(), bits()));
}

TEST_F(DdpTest, GradientsAreThoseOfTheWholeBatch) {
  Ddp ddp(net, group, small_buckets);
  net->eval();                            // statistics of a batch depend on how it is divided
  for (int step = 0; step < 3; ++step) {  // buckets are rebuilt after the first
    ddp.before_forward();
    const at::Tensor loss = loss_of(*net, mine(images), mine(labels));
    ddp.before_backward();
    loss.backward();
    Net whole;
    whole.eval();
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < whole.parameters().size(); ++i)
      whole.parameters()[i].copy_(net->parameters()[i]);
    {
      const at::AutoGradMode grad(true);
      loss_of(whole, images, labels).backward();
    }
    for (std::size_t i = 0; i < whole.parameters().size(); ++i) {
      const at::Tensor difference = net->parameters()[i].grad() - whole.parameters()[i].grad();
      EXPECT_LT(difference.abs().max().item<double>(), 1e-10)
          << "step " << step << ", parameter " << i;
      EXPECT_GT(whole.parameters()[i].grad().abs().max().item<double>(), 1e-6);
    }
    ddp.zero_gradients();
    for (const at::Tensor& parameter : net->parameters()) {
      EXPECT_TRUE(parameter.grad().defined());
      EXPECT_EQ(parameter.grad().abs().max().item<double>(), 0);
    }
  }
}

TEST_F(DdpTest, ParametersStayBitIdentical) {
  Ddp ddp(net, group, small_buckets);
  net->train();
  torch::optim::SGD optimiser(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  const std::uint64_t before = bits();
  double first = 0, last = 0;
  for (int step = 0; step < 20; ++step) {
    ddp.before_forward();
    const at::Tensor loss = loss_of(*net, mine(images), mine(labels));
    ddp.before_backward();
    loss.backward();
    optimiser.step();
    ddp.zero_gradients();
    (step == 0 ? first : last) = loss.item<double>();
    ASSERT_TRUE(equal_on_all_ranks(test::world(), bits())) << "step " << step;
  }
  EXPECT_NE(bits(), before);
  EXPECT_LT(last, first / 2) << "it learns its batch";
}

// The first layer's gradient comes last, and here late.
TEST_F(DdpTest, TellsWhenEachBucketIsReady) {
  constexpr std::chrono::milliseconds kDelay(20);
  Ddp ddp(net, group, small_buckets);
  EXPECT_TRUE(ddp.gradient_buckets().empty()) << "before a step";
  const unsigned late = net->conv->weight.register_hook(
      [&](const at::Tensor&) { std::this_thread::sleep_for(kDelay); });
  for (int step = 0; step < 4; ++step) {
    ddp.before_forward();
    const at::Tensor loss = loss_of(*net, mine(images), mine(labels));
    ddp.before_backward();
    loss.backward();
    ddp.zero_gradients();
  }
  net->conv->weight.remove_hook(late);
  const std::vector<BucketReady> buckets = ddp.gradient_buckets();
  ASSERT_GT(buckets.size(), 2U);
  std::int64_t bytes = 0, whole = 0;
  for (const BucketReady& one : buckets) bytes += one.bytes;
  for (const at::Tensor& one : net->parameters()) whole += static_cast<std::int64_t>(one.nbytes());
  EXPECT_EQ(bytes, whole);
  EXPECT_GT(buckets.front().seconds, 0);
  for (std::size_t i = 1; i < buckets.size(); ++i)
    EXPECT_GE(buckets[i].seconds, buckets[i - 1].seconds) << "bucket " << i;
  const double delay = std::chrono::duration<double>(kDelay).count();
  EXPECT_GE(buckets.back().seconds - buckets.front().seconds, delay);
}

TEST_F(DdpTest, BuffersAreRankZerosBeforeEveryForwardPassInTraining) {
  Ddp ddp(net, group, small_buckets);
  const auto diverge = [&] {
    const at::NoGradGuard no_grad;
    net->norm->running_mean.fill_(rank + 1);
    net->norm->num_batches_tracked.fill_(10 * (rank + 1));
  };
  diverge();
  net->train();
  ddp.before_forward();
  EXPECT_EQ(net->norm->running_mean[0].item<double>(), 1);
  EXPECT_EQ(net->norm->num_batches_tracked.item<std::int64_t>(), 10);
  diverge();
  net->eval();
  ddp.before_forward();
  EXPECT_EQ(net->norm->running_mean[0].item<double>(), rank + 1) << "not while testing";
  ddp.broadcast_buffers();
  EXPECT_EQ(net->norm->running_mean[0].item<double>(), 1);
}

}  // namespace
}  // namespace scalemark::torch_support
