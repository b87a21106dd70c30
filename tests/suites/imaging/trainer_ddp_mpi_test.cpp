// SPDX-License-Identifier: Apache-2.0
// Two ranks that divide an epoch take the same steps as one rank with batches twice as large.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "common/torch/fingerprint.hpp"
#include "suites/imaging/data/images.hpp"
#include "tests/suites/imaging/trainer_model.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kSteps = 3, kSamples = 24, kBatch = 4;  // a rank's
constexpr std::uint64_t kSeed = 9;

class TrainerDdp : public testing::Test {
 protected:
  TrainerDdp() {
    at::manual_seed(6);
    pictures = {at::randint(256, {kSamples, 1, 28, 28}, at::kByte),
                at::randint(10, {kSamples}, at::kLong)};
  }

  /// An epoch of three steps by the loop that a training makes; the parameters after it.
  std::vector<at::Tensor> train(Trainer& trainer, const EpochRequest& request) const {
    const EpochPlan plan = plan_epoch(request);
    EXPECT_EQ(plan.computed(), kSteps);
    const LoaderOptions options{.image = 32,
                                .batch = request.batch,
                                .type = at::kDouble,
                                .workers = 1,
                                .mean = kMnistMean,
                                .std = kMnistStd};
    const auto loader = make_loader("threads", pictures, options);
    loader->start(plan.order);
    for (std::int64_t i = 0; i < plan.loaded; ++i) {
      const Batch batch = loader->next();
      if (i % plan.every == plan.first) trainer.step(batch);
    }
    return copy_of(trainer.model().parameters());
  }

  TrainerOptions options_for(Strategy strategy) const {
    TrainerOptions options;
    options.strategy = strategy;
    options.precision = torch_support::precision("fp64");
    options.ddp.first_bucket_bytes = 1 << 16;  // several buckets
    options.ddp.bucket_bytes = 1 << 20;
    return options;
  }

  bool same_bits(const std::vector<at::Tensor>& tensors) const {
    return torch_support::equal_on_all_ranks(test::world(), torch_support::fingerprint(tensors));
  }

  const int rank = test::world().rank(), size = test::world().size();
  std::unique_ptr<device::Device> host = device::make_host_device();
  std::unique_ptr<collective::Communicator> comm =
      collective::make_mpi_communicator(test::world(), *host);
  torch_support::ProcessGroupPtr group = torch_support::make_mpi_process_group(*comm);
  Images pictures;
};

TEST_F(TrainerDdp, TwoRanksAreOneRankWithTwiceTheBatch) {
  const auto alone = make_trainer(filled_model(), options_for(Strategy::single), {});
  alone->model().eval();  // statistics of a batch depend on how it is divided
  const std::vector<at::Tensor> want =
      train(*alone, {.samples = kSamples, .batch = kBatch * size, .seed = kSeed});
  EXPECT_GT(smallest_movement(copy_of(filled_model()->parameters()), want), 1e-7);

  for (const Strategy strategy : {Strategy::ddp_ds, Strategy::ddp_rr}) {
    const auto trainer = make_trainer(filled_model(), options_for(strategy), group);
    trainer->model().eval();
    const std::vector<at::Tensor> got = train(*trainer, {.strategy = strategy,
                                                         .samples = kSamples,
                                                         .batch = kBatch,
                                                         .ranks = size,
                                                         .rank = rank,
                                                         .seed = kSeed});
    EXPECT_LT(largest_difference(got, want), 1e-10) << static_cast<int>(strategy);
    EXPECT_TRUE(same_bits(got));
  }
}

/// In training mode ranks see other samples, and stay equal all the same.
TEST_F(TrainerDdp, ParametersAndBuffersStayEqualInTrainingMode) {
  for (const Strategy strategy : {Strategy::ddp_full, Strategy::ddp_ds}) {
    const auto trainer = make_trainer(filled_model(), options_for(strategy), group);
    trainer->model().train();
    const std::vector<at::Tensor> got =
        train(*trainer, {.strategy = strategy,
                         .samples = strategy == Strategy::ddp_full ? kSamples / 2 : kSamples,
                         .batch = kBatch,
                         .ranks = size,
                         .rank = rank,
                         .seed = kSeed});
    EXPECT_TRUE(same_bits(got));
    EXPECT_FALSE(same_bits(trainer->model().buffers())) << "each rank's own batch";
    trainer->synchronise_buffers();
    EXPECT_TRUE(same_bits(trainer->model().buffers()));
  }
}

/// An overflow of one rank's gradients is every rank's.
TEST_F(TrainerDdp, AllRanksSkipTheSameStep) {
  TrainerOptions options = options_for(Strategy::ddp_ds);
  options.precision = torch_support::precision("bf16");
  options.precision.scales_loss = true;
  const auto trainer = make_trainer(filled_model(), options, group);
  trainer->model().train();
  Batch batch = random_batch(kBatch, at::kFloat);
  trainer->step(batch);
  const std::int64_t skipped = trainer->scaler().skipped();
  const std::vector<at::Tensor> before = copy_of(trainer->model().parameters());
  if (rank == 1) batch.images.fill_(1e30);
  trainer->step(batch);
  EXPECT_EQ(trainer->scaler().skipped(), skipped + 1);
  EXPECT_EQ(largest_difference(trainer->model().parameters(), before), 0.0);
  EXPECT_EQ(trainer->scaler().current(), skipped == 0 ? 32768 : 16384);
}

}  // namespace
}  // namespace scalemark::imaging
