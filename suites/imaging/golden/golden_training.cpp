// SPDX-License-Identifier: Apache-2.0
// Compares SGD training and data parallelism with a golden file.
#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/optim/sgd.h>

#include "common/base/error.hpp"
#include "suites/imaging/golden/golden_checks.hpp"

namespace scalemark::imaging {
namespace {

/// Losses and final network of a training of `steps` updates.
struct Training {
  std::vector<double> losses;
  std::shared_ptr<MobileNetV2> network;
};

Training train(const GoldenContext& context, const Field& entry, const Field& sgd,
               at::ScalarType type, bool nhwc) {
  Training result{{}, filled_network(context, type, nhwc)};
  const GoldenBatch batch = make_batch(context, entry["images"], entry["labels"], type, nhwc);
  torch::optim::SGD optimiser(result.network->parameters(),
                              torch::optim::SGDOptions(sgd["learning_rate"].number())
                                  .momentum(sgd["momentum"].number())
                                  .dampening(sgd["dampening"].number())
                                  .weight_decay(sgd["weight_decay"].number())
                                  .nesterov(sgd["nesterov"].boolean()));
  for (std::int64_t step = 0; step < sgd["steps"].integer(); ++step) {
    result.losses.push_back(run_pass(*result.network, batch, true).loss);
    optimiser.step();
  }
  return result;
}

/// Tolerance after `step` updates for results with another order of summation. Training is chaotic
/// at large learning rates, so it grows there.
double drift(double learning_rate, std::size_t step) {
  return learning_rate <= 1e-3
             ? 1e-11
             : 1e-10 * std::pow(10.0, static_cast<double>(std::min<std::size_t>(step, 6)));
}

/// Which steps of a training are compared, and with which tolerance.
struct Comparison {
  double learning_rate;
  bool fp32 = false;  ///< at high learning rates only step 0 is compared (chaotic)
  std::vector<double> library_errors = {};  ///< fp32 errors per step, if the file states them
};

double tolerance_of(const Comparison& comparison, std::size_t step) {
  if (!comparison.fp32) return drift(comparison.learning_rate, step);
  const std::vector<double>& stated = comparison.library_errors;
  return golden::fp32_tolerance(step < 2 ? 1e-3 : 0.1, step < stated.size() ? stated[step] : 0);
}

/// Compares the losses of two trainings, or of one training and the file, step by step.
void check_losses(const GoldenContext& context, const Field& field, const std::vector<double>& got,
                  const std::vector<double>& want, const Comparison& comparison) {
  if (got.size() != want.size()) {
    context.report.exact(field.path(), false,
                         fmt::format("{} steps here, {} in the file", got.size(), want.size()));
    return;
  }
  for (std::size_t step = 0; step < got.size(); ++step) {
    const std::string item = fmt::format("{}[{}]", field.path(), step);
    if (comparison.fp32 && step > 0 && comparison.learning_rate > 1e-3) {
      context.report.skip(item, "training at this learning rate is chaotic in fp32");
    } else {
      context.report.near(item, got[step], want[step], tolerance_of(comparison, step));
    }
  }
}

}  // namespace

void check_sgd(const GoldenContext& context, const Field& entry, const Field& sgd) {
  const double rate = sgd["learning_rate"].number();
  const std::int64_t steps = sgd["steps"].integer();
  if (steps < 1 || steps > 100)
    throw InputError(fmt::format("field '{}.steps' is not from 1 to 100", sgd.path()));
  const Training fp64 = train(context, entry, sgd, at::kDouble, false);
  const double after = drift(rate, static_cast<std::size_t>(steps));
  if (sgd.has("losses_fp64") && context.wants("fp64", sgd["losses_fp64"])) {
    check_losses(context, sgd["losses_fp64"], fp64.losses, sgd["losses_fp64"].numbers(), {rate});
  }
  if (sgd.has("difference_channels_last_fp64") &&
      context.wants("fp64", sgd["difference_channels_last_fp64"])) {
    sgd["difference_channels_last_fp64"].note();
    check_losses(context, sgd["difference_channels_last_fp64"],
                 train(context, entry, sgd, at::kDouble, true).losses, fp64.losses, {rate});
  }
  if (sgd.has("parameters_after_fp64") && context.wants("fp64", sgd["parameters_after_fp64"])) {
    const Field field = sgd["parameters_after_fp64"];
    context.report.digest(field.path(), to_doubles(flatten(fp64.network->parameters())),
                          field.digest(), after);
  }
  if (sgd.has("buffers_after_fp64") && context.wants("fp64", sgd["buffers_after_fp64"])) {
    check_buffers(context, sgd["buffers_after_fp64"], *fp64.network, after);
  }
  const Training fp32 = train(context, entry, sgd, at::kFloat, false);
  Comparison rounded{rate, true};
  if (sgd.has("difference_fp32")) rounded.library_errors = sgd["difference_fp32"].numbers();
  if (sgd.has("losses_fp32") && context.wants("fp32", sgd["losses_fp32"])) {
    check_losses(context, sgd["losses_fp32"], fp32.losses, sgd["losses_fp32"].numbers(), rounded);
  }
  if (sgd.has("difference_fp32") && context.wants("fp32", sgd["difference_fp32"])) {
    check_losses(context, sgd["difference_fp32"], fp32.losses, fp64.losses, rounded);
  }
  const std::string error = "parameters_fp32_relative_l2_error";
  if (!sgd.has(error) || !context.wants("fp32", sgd[error])) return;
  if (rate > 1e-3) {
    sgd[error].note();
    context.report.skip(sgd[error].path(), "training at this learning rate is chaotic in fp32");
  } else {
    check_bound(
        context, sgd[error],
        relative_l2(flatten(fp32.network->parameters()), flatten(fp64.network->parameters())),
        golden::fp32_tolerance(1e-3, sgd[error].number()));
  }
}

void check_data_parallel(const GoldenContext& context, const Field& entry) {
  if (!context.wants("fp64", entry)) return;
  const GoldenBatch batch =
      make_batch(context, entry["images"], entry["labels"], at::kDouble, false);
  const std::int64_t ranks = entry["ranks"].integer(), images = batch.images.size(0);
  const Field rows = entry["rank_rows"];
  if (ranks < 1 || ranks > images || rows.size() != static_cast<std::size_t>(ranks)) {
    throw InputError(fmt::format("field '{}': {} ranks, {} images, {} pairs of rows", entry.path(),
                                 ranks, images, rows.size()));
  }
  const auto check_loss = [&](const Field& field, double got) {
    context.report.near(field.path(), got, field.number(), kFp64.loss);
  };
  for (const std::string mode : {"batchnorm_frozen", "batchnorm_training"}) {
    if (!entry.has(mode)) continue;
    const Field want = entry[mode];
    const bool training = mode == "batchnorm_training";
    const Pass full = run_pass(*filled_network(context, at::kDouble, false), batch, training);
    check_loss(want["loss_full"], full.loss);
    at::Tensor mean = at::zeros_like(full.gradient);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const std::vector<std::int64_t> part = rows[static_cast<std::size_t>(rank)].integers();
      if (part.size() != 2 || part[0] < 0 || part[0] >= part[1] || part[1] > images) {
        throw InputError(fmt::format("field '{}' is no range of rows", rows.path()));
      }
      const auto network = filled_network(context, at::kDouble, false);
      const Pass pass = run_pass(*network, batch.rows(part[0], part[1]), training);
      check_loss(want[fmt::format("loss_rank{}", rank)], pass.loss);
      mean.add_(pass.gradient, 1.0 / static_cast<double>(ranks));
      const std::string buffers = fmt::format("buffers_rank{}", rank);
      if (want.has(buffers)) check_buffers(context, want[buffers], *network, kFp64.gradient);
    }
    context.report.digest(want["gradient_full"].path(), to_doubles(full.gradient),
                          want["gradient_full"].digest(), kFp64.gradient);
    context.report.digest(want["gradient_mean_of_ranks"].path(), to_doubles(mean),
                          want["gradient_mean_of_ranks"].digest(), kFp64.gradient);
    const Field difference = want["relative_l2_difference"];
    context.report.near(difference.path(), relative_l2(mean, full.gradient), difference.number(),
                        1e-10);
  }
}

}  // namespace scalemark::imaging
