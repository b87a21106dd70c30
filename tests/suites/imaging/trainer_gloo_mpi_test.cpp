// SPDX-License-Identifier: Apache-2.0
// imaging/train over gloo, on 2 and 4 ranks: the same training as over MPI.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "common/torch/fingerprint.hpp"
#include "tests/suites/imaging/train_case.hpp"
#include "tests/suites/imaging/trainer_model.hpp"

namespace scalemark::imaging {
namespace {

using torch_support::ProcessGroupPtr;

class TrainerGloo : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch_support::has_gloo()) GTEST_SKIP() << "this build has no gloo";
  }

  /// Parameters after three steps of ddp_ds in fp64, each rank with batches of its own.
  std::vector<at::Tensor> train(const ProcessGroupPtr& group, bool buckets, bool buffers) const {
    TrainerOptions options;
    options.strategy = Strategy::ddp_ds;
    options.precision = torch_support::precision("fp64");
    options.ddp.broadcast_buffers = buffers;
    if (buckets) {
      options.ddp.first_bucket_bytes = 1 << 16;
      options.ddp.bucket_bytes = 1 << 20;
    }
    const auto trainer = make_trainer(filled_model(), options, group);
    trainer->model().train();
    // So large that statistics of a batch are well-conditioned: the last layers see 2x2 pixels.
    Batch batch = random_batch(8, at::kDouble, 64);
    batch.images.add_(0.1 * group->getRank());
    for (int step = 0; step < 3; ++step) trainer->step(batch);
    return copy_of(trainer->model().parameters());
  }
};

TEST_F(TrainerGloo, ParametersAreThoseOverMpi) {
  const auto host = device::make_host_device();
  const auto comm = collective::make_mpi_communicator(test::world(), *host);
  const ProcessGroupPtr mpi = torch_support::make_mpi_process_group(*comm);
  const ProcessGroupPtr gloo =
      torch_support::make_gloo_process_group(test::world(), std::chrono::seconds(60));
  const std::vector<at::Tensor> before = copy_of(filled_model()->parameters());
  for (const auto& [buckets, buffers] : {std::pair(false, true), std::pair(true, false)}) {
    const std::vector<at::Tensor> want = train(mpi, buckets, buffers);
    const std::vector<at::Tensor> got = train(gloo, buckets, buffers);
    EXPECT_GT(largest_difference(before, want), 1e-3) << "it trains";
    EXPECT_LT(largest_difference(got, want), test::world().size() == 2 ? 1e-12 : 1e-10);
    EXPECT_TRUE(torch_support::equal_on_all_ranks(test::world(), torch_support::fingerprint(got)));
  }
}

const std::vector<std::string> kSmall{"image=32", "batch=4", "images=32", "test_images=40"};

TrainRun run_small(std::vector<std::string> more) {
  more.insert(more.begin(), kSmall.begin(), kSmall.end());
  return run_train(more);
}

TEST_F(TrainerGloo, ACaseTrainsOverIt) {
  const TrainRun gloo = run_small({"backend=gloo", "precision=fp64"});
  const TrainRun usual = run_small({"precision=fp64"});
  EXPECT_EQ(gloo.outcome.ok, 1U);
  if (!root()) return;
  ASSERT_EQ(gloo.result().status, Status::ok) << gloo.result().reason;
  EXPECT_NE(gloo.result().key.find("backend=gloo"), std::string::npos) << gloo.result().key;
  EXPECT_EQ(gloo.fact("process_group"), "gloo");
  EXPECT_EQ(usual.fact("process_group"), "mpi");
  EXPECT_EQ(gloo.result().verification.wrong, 0U);
  for (std::size_t i = 0; i < gloo.series("step_loss", 0).size(); ++i) {
    EXPECT_NEAR(gloo.series("step_loss", 0)[i], usual.series("step_loss", 0)[i], 1e-9);
  }
}

TEST(TrainBackend, OneExperimentHasOneKey) {
  const auto plan_of = [](const std::vector<std::string>& overrides) {
    PlanRequest request;
    request.filters = {"imaging/train"};
    for (const std::string& text : overrides) request.overrides.push_back(parse_override(text));
    std::vector<std::string> keys;
    for (const PlannedCase& planned : make_plan(Registry::instance(), request, {.ranks = 2}))
      keys.push_back(planned.key);
    return keys;
  };
  const std::vector<std::string> usual = plan_of({"device=cpu"});
  ASSERT_EQ(usual.size(), 1U);
  EXPECT_EQ(usual[0].find("backend"), std::string::npos) << usual[0];
  EXPECT_EQ(plan_of({"device=cpu", "backend=auto,mpi"}), usual);
  EXPECT_EQ(plan_of({"device=cpu", "backend=mpi,nccl,gloo"}).size(), 3U);
  EXPECT_EQ(plan_of({"device=cuda", "backend=nccl"}), plan_of({"device=cuda"}));
  EXPECT_EQ(plan_of({"device=cpu", "strategy=single", "backend=gloo"}),
            plan_of({"device=cpu", "strategy=single"}));
}

TEST(TrainBackend, NcclOnACpuIsSkippedWithTheReason) {
  const TrainRun run = run_small({"backend=nccl"});
  EXPECT_EQ(run.outcome.skipped, 1U);
  if (!root()) return;
  EXPECT_NE(run.result().reason.find("backend=nccl is for GPUs, and device=cpu"), std::string::npos)
      << run.result().reason;
}

}  // namespace
}  // namespace scalemark::imaging
