// SPDX-License-Identifier: Apache-2.0
// Two ranks of real data parallelism against the gradients that the golden file gives for them.
#include <fstream>
#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/nn/functional/loss.h>

#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "common/torch/parallel/ddp.hpp"
#include "suites/imaging/golden/golden_model.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::imaging {
namespace {

/// This rank's half of the file's batch through the reducer; checks what every parameter then
/// holds.
void check_mode(const std::string& mode, bool train) {
  std::ifstream stream(std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/imaging.json");
  const nlohmann::json json = nlohmann::json::parse(stream);
  const Field file(json);
  const Field entry = file["data_parallel"];
  const golden::Options options;
  golden::Report report("imaging.json");
  const GoldenContext context{
      1, file["gain"].number(), file["classes"].integer(), c10::Device(c10::kCPU), options, report};
  const GoldenBatch batch =
      make_batch(context, entry["images"], entry["labels"], at::kDouble, false);
  const int rank = test::world().rank();
  const std::vector<std::int64_t> rows =
      entry["rank_rows"][static_cast<std::size_t>(rank)].integers();

  const auto host = device::make_host_device();
  const auto comm = collective::make_mpi_communicator(test::world(), *host);
  auto network = filled_network(context, at::kDouble, false);
  network->train(train);
  torch_support::Ddp ddp(network, torch_support::make_mpi_process_group(*comm),
                         {.broadcast_buffers = false});
  const GoldenBatch mine = batch.rows(rows[0], rows[1]);
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time with rebuilt buckets
    if (train && repeat == 1) break;            // its buffers have moved on
    ddp.before_forward();
    const at::Tensor loss =
        torch::nn::functional::cross_entropy(network->forward(mine.images), mine.labels);
    ddp.before_backward();
    loss.backward();
    EXPECT_NEAR(loss.item<double>(), entry[mode]["loss_rank" + std::to_string(rank)].number(),
                1e-11);
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : network->parameters()) gradients.push_back(parameter.grad());
    const at::Tensor gradient = flatten(gradients);
    report.digest(mode, to_doubles(gradient), json["data_parallel"][mode]["gradient_mean_of_ranks"],
                  1e-11);
    const Pass full = run_pass(*filled_network(context, at::kDouble, false), batch, train);
    if (train) {
      EXPECT_NEAR(relative_l2(gradient, full.gradient),
                  entry[mode]["relative_l2_difference"].number(), 1e-9);
    } else {
      EXPECT_LT(relative_l2(gradient, full.gradient), 1e-10)
          << "the mean of the halves is the whole batch's gradient";
    }
    ddp.zero_gradients();
  }
  for (const golden::Item& item : report.items()) {
    EXPECT_EQ(item.outcome, golden::Outcome::pass) << item.item << ": " << item.reason;
  }
  EXPECT_GE(report.items().size(), 5U);
}

TEST(ImagingDataParallel, FrozenStatistics) { check_mode("batchnorm_frozen", false); }

TEST(ImagingDataParallel, LivingStatistics) { check_mode("batchnorm_training", true); }

}  // namespace
}  // namespace scalemark::imaging
