// SPDX-License-Identifier: Apache-2.0
// Training loop: epochs, tests, saved states and resume.
#include "suites/imaging/train/loop.hpp"

#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/torch/step_records.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kTestPixels = 1 << 18;  ///< pixels per test batch: 256 images of 32 x 32

/// Copies loss and number of right predictions to the host. The host waits for the device here.
std::pair<double, std::int64_t> read(const StepResult& result) {
  const at::Tensor both =
      at::stack({result.loss.to(at::kDouble), result.right.to(at::kDouble)}).to(at::kCPU);
  return {both[0].item<double>(), static_cast<std::int64_t>(both[1].item<double>())};
}

EpochPlan plan_of(const Case& c, const Course& course, std::int64_t epoch) {
  return plan_epoch({.strategy = course.strategy,
                     .samples = course.samples,
                     .batch = course.loading.batch,
                     .ranks = c.size(),
                     .rank = c.rank(),
                     .seed = c.seed(),
                     .epoch = static_cast<std::uint64_t>(epoch)});
}

/// A running training: its settings and its state.
struct Training {
  Case& c;
  const Course& course;
  Loader& loader;
  Trainer& trainer;
  History history;
  Progress progress;
  std::int64_t loaded_before = 0;  ///< bytes loaded before the interruption

  void save() { imaging::save(c, trainer, history, progress); }
};

/// Saves the state and throws StoppedEarly if a signal requested a stop.
void stop_if_asked(Training& t, std::uint64_t epoch_start, std::uint64_t start) {
  if (!t.c.checkpoint().stop_requested()) return;
  t.progress.epoch_time = now_ns() - epoch_start;
  t.progress.since_start = now_ns() - start;
  t.save();
  throw StoppedEarly{};
}

/// Trains the rest of the current epoch of `progress`.
void train_epoch(Training& t, std::uint64_t start) {
  EpochPlan plan = plan_of(t.c, t.course, t.progress.epoch);
  Tally& tally = t.progress.tally;
  t.trainer.model().train();
  std::uint64_t asked = now_ns();
  const std::uint64_t epoch_start = asked - t.progress.epoch_time;
  plan.order.erase(plan.order.begin(),
                   plan.order.begin() + t.progress.loaded * t.course.loading.batch);
  t.loader.start(std::move(plan.order));
  while (t.progress.loaded < plan.loaded) {
    t.c.report_progress();
    const Batch batch = t.loader.next();
    t.history.loaded_bytes = t.loaded_before + static_cast<std::int64_t>(t.loader.bytes());
    if (t.progress.loaded++ % plan.every != plan.first) continue;
    const std::uint64_t arrived = now_ns();
    if (tally.batches == 0) t.history.epochs.start_pause.push_back(arrived - epoch_start);
    const StepResult result = t.trainer.step(batch);
    const auto [loss, right] = read(result);
    const std::uint64_t done = now_ns();
    t.history.steps.begun.push_back(asked);
    t.history.steps.time.push_back(done - asked);
    t.history.steps.wait.push_back(arrived - asked);
    t.history.steps.exposed_communication.push_back(result.exposed_communication);
    t.history.steps.loss.push_back(loss);
    tally.loss += loss;
    tally.right += right;
    tally.images += t.course.loading.batch;
    ++tally.batches;
    stop_if_asked(t, epoch_start, start);
    asked = now_ns();
  }
  // The epoch time includes batches loaded after the last computed one (ddp_rr).
  t.history.epochs.time.push_back(now_ns() - epoch_start);
}

/// Collective. Each rank tests its part of the test set; every rank returns the sums over all
/// parts.
Tally test(Case& c, const Course& course, const Images& pictures, Trainer& trainer,
           std::uint64_t& first_batch_at) {
  const at::NoGradGuard no_grad;
  trainer.synchronise_buffers();
  trainer.model().eval();
  const LoaderOptions& options = course.loading;
  const c10::Device device = options.device;
  const at::Tensor mine = at::arange(c.rank(), pictures.labels.size(0), c.size(), at::kLong);
  // Without gradients, small images fit in larger batches with no more memory than training needs.
  const std::int64_t batch = std::max(options.batch, kTestPixels / (options.image * options.image));
  Tally tally;
  for (std::int64_t from = 0; from < mine.size(0); from += batch) {
    c.report_progress();
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
  tally.loss = torch_support::sum_over_ranks(c.ranks(), tally.loss);
  tally.right = c.ranks().sum(tally.right);
  tally.images = pictures.labels.size(0);
  return tally;
}

/// Collective. Runs one step, which restore() undoes. DDP rebuilds its buckets after the first
/// step, as in the interrupted training. With other buckets, sums over three or more ranks would be
/// rounded in a different order.
void warm_up_reducer(Training& t, const Images& pictures) {
  if (t.c.size() == 1) return;
  const LoaderOptions& options = t.course.loading;
  const at::Tensor which = at::arange(options.batch, at::kLong).remainder(pictures.labels.size(0));
  t.trainer.model().train();
  t.trainer.step({prepare(pictures.pixels.index_select(0, which).to(options.device), options),
                  pictures.labels.index_select(0, which).to(options.device)});
}

}  // namespace

History run_training(Case& c, const Course& course, Loader& loader, const Images& pictures,
                     Trainer& trainer, const std::optional<torch_support::SavedTraining>& saved) {
  const CaseCheckpoint::Stoppable stoppable(c.checkpoint());
  Training t{c, course, loader, trainer, {}, {}};
  if (saved) {
    warm_up_reducer(t, pictures);
    restore(*saved, trainer, t.history, t.progress);
    t.loaded_before = t.history.loaded_bytes;
    if (t.progress.epoch >= course.epochs || t.progress.loaded > plan_of(c, course, 0).loaded)
      throw InputError("the checkpoint belongs to a longer training");
    c.fact("resumed_at_epoch", t.progress.epoch + 1);
  }
  const std::uint64_t start = now_ns() - t.progress.since_start;
  History::Epochs& epochs = t.history.epochs;
  while (t.progress.epoch < course.epochs) {
    const std::int64_t epoch = t.progress.epoch + 1;
    c.phase(fmt::format("train epoch {}", epoch));
    const std::optional<double> before = c.hardware().energy();
    if (course.profile != nullptr) course.profile->start();
    train_epoch(t, start);
    if (course.profile != nullptr) course.profile->stop();
    if (const std::optional<double> after = c.hardware().energy(); before && after)
      t.history.energy = t.history.energy.value_or(0) + *after - *before;
    const Tally trained = t.progress.tally;
    t.history.images_computed += trained.images;
    epochs.train_loss.push_back(trained.loss / static_cast<double>(trained.batches));
    epochs.train_accuracy.push_back(static_cast<double>(trained.right) /
                                    static_cast<double>(trained.images));
    const std::uint64_t trained_at = now_ns();
    c.phase(fmt::format("test epoch {}", epoch));
    std::uint64_t first_batch_at = trained_at;
    const Tally tested = test(c, course, pictures, trainer, first_batch_at);
    epochs.test_pause.push_back(first_batch_at - trained_at);
    epochs.test_loss.push_back(tested.loss / static_cast<double>(tested.images));
    epochs.test_accuracy.push_back(static_cast<double>(tested.right) /
                                   static_cast<double>(tested.images));
    epochs.since_start.push_back(now_ns() - start);
    t.progress = {.epoch = epoch, .since_start = now_ns() - start};
    if (epoch < course.epochs) t.save();
  }
  return t.history;
}

}  // namespace scalemark::imaging
