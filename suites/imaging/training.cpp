// SPDX-License-Identifier: Apache-2.0
// The course of a training.
#include "suites/imaging/training.hpp"

#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/clock.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kTestPixels = 1 << 18;  ///< a batch of the test: 256 images of 32 x 32

/// Sums over an epoch's batches.
struct Tally {
  double loss = 0;
  std::int64_t right = 0, images = 0, batches = 0;
};

/// Loss and count of a step on the host: the point at which the host waits for the device.
std::pair<double, std::int64_t> read(const StepResult& result) {
  const at::Tensor both =
      at::stack({result.loss.to(at::kDouble), result.right.to(at::kDouble)}).to(at::kCPU);
  return {both[0].item<double>(), static_cast<std::int64_t>(both[1].item<double>())};
}

Tally train_epoch(Case& c, const Course& course, std::int64_t epoch, Loader& loader,
                  Trainer& trainer, History& history) {
  const EpochPlan plan = plan_epoch({.strategy = course.strategy,
                                     .samples = course.samples,
                                     .batch = course.loading.batch,
                                     .ranks = c.size(),
                                     .rank = c.rank(),
                                     .seed = c.seed(),
                                     .epoch = static_cast<std::uint64_t>(epoch)});
  Tally tally;
  trainer.model().train();
  const std::uint64_t epoch_start = now_ns();
  loader.start(plan.order);
  std::uint64_t asked = epoch_start;
  for (std::int64_t index = 0; index < plan.loaded; ++index) {
    c.tick();
    const Batch batch = loader.next();
    if (index % plan.every != plan.first) continue;
    const std::uint64_t arrived = now_ns();
    if (tally.batches == 0) history.epochs.start_pause.push_back(arrived - epoch_start);
    const auto [loss, right] = read(trainer.step(batch));
    const std::uint64_t done = now_ns();
    history.steps.time.push_back(done - asked);
    history.steps.wait.push_back(arrived - asked);
    history.steps.loss.push_back(loss);
    tally.loss += loss;
    tally.right += right;
    tally.images += course.loading.batch;
    ++tally.batches;
    asked = done;
  }
  // What is loaded behind the last computed batch (ddp_rr) belongs to the epoch too.
  history.epochs.time.push_back(now_ns() - epoch_start);
  return tally;
}

/// Collective. The ranks divide the test set; every rank gets the sums over all of it.
Tally test(Case& c, const Course& course, const Pictures& pictures, Trainer& trainer,
           std::uint64_t& first_batch_at) {
  const at::NoGradGuard no_grad;
  trainer.synchronise_buffers();
  trainer.model().eval();
  const LoaderOptions& options = course.loading;
  const c10::Device device = options.device;
  const at::Tensor mine = at::arange(c.rank(), pictures.labels.size(0), c.size(), at::kLong);
  // No gradients are kept: small images go in larger batches, at no more memory than training.
  const std::int64_t batch = std::max(options.batch, kTestPixels / (options.image * options.image));
  Tally tally;
  for (std::int64_t from = 0; from < mine.size(0); from += batch) {
    c.tick();
    const at::Tensor which = mine.slice(0, from, from + batch);
    const at::Tensor images = prepare(pictures.pixels.index_select(0, which).to(device), options);
    const at::Tensor labels = pictures.labels.index_select(0, which).to(device);
    if (from == 0) first_batch_at = now_ns();
    at::Tensor logits;
    {
      const torch_support::Autocast autocast(course.precision, device);
      logits = trainer.model().forward(images);
    }
    tally.loss += mean_loss(logits, labels).item<double>() * static_cast<double>(which.size(0));
    tally.right += count_right(logits, labels).item<std::int64_t>();
  }
  double loss = 0;
  for (const std::string& text : c.ranks().all_gather(fmt::format("{}", tally.loss)))
    loss += std::stod(text);
  tally.loss = loss;
  tally.right = c.ranks().sum(tally.right);
  tally.images = pictures.labels.size(0);
  return tally;
}

}  // namespace

History run_course(Case& c, const Course& course, Loader& loader, const Pictures& pictures,
                   Trainer& trainer) {
  History history;
  const std::uint64_t start = now_ns();
  for (std::int64_t epoch = 0; epoch < course.epochs; ++epoch) {
    c.phase(fmt::format("train epoch {}", epoch + 1));
    const Tally trained = train_epoch(c, course, epoch, loader, trainer, history);
    history.images_computed += trained.images;
    history.epochs.train_loss.push_back(trained.loss / static_cast<double>(trained.batches));
    history.epochs.train_accuracy.push_back(static_cast<double>(trained.right) /
                                            static_cast<double>(trained.images));
    const std::uint64_t trained_at = now_ns();
    c.phase(fmt::format("test epoch {}", epoch + 1));
    std::uint64_t first_batch_at = trained_at;
    const Tally tested = test(c, course, pictures, trainer, first_batch_at);
    history.epochs.test_pause.push_back(first_batch_at - trained_at);
    history.epochs.test_loss.push_back(tested.loss / static_cast<double>(tested.images));
    history.epochs.test_accuracy.push_back(static_cast<double>(tested.right) /
                                           static_cast<double>(tested.images));
    history.epochs.since_start.push_back(now_ns() - start);
  }
  return history;
}

}  // namespace scalemark::imaging
