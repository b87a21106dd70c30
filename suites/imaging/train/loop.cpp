// SPDX-License-Identifier: Apache-2.0
// Steps, tests and records of a training of imaging/train.
#include "suites/imaging/train/loop.hpp"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kTestPixels = 1 << 18;  ///< pixels per test batch: 256 images of 32 x 32

/// Copies loss and number of right predictions to the host. The host waits for the device here.
std::pair<double, std::int64_t> read(const StepResult& result) {
  const at::Tensor both =
      at::stack({result.loss.to(at::kDouble), result.right.to(at::kDouble)}).to(at::kCPU);
  return {both[0].item<double>(), static_cast<std::int64_t>(both[1].item<double>())};
}

/// A batch of the images with these indices, on the device of `options`.
Batch batch_of(const Images& images, const at::Tensor& which, const LoaderOptions& options) {
  return {prepare(pixels_of(images, which).to(options.device), options),
          images.labels.index_select(0, which).to(options.device)};
}

double ratio(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

EpochPlan epoch_plan(const Case& c, const TrainingSettings& settings, std::int64_t epoch) {
  return plan_epoch({.strategy = settings.strategy,
                     .samples = settings.samples,
                     .batch = settings.loading.batch,
                     .ranks = c.size(),
                     .rank = c.rank(),
                     .seed = c.seed(),
                     .epoch = static_cast<std::uint64_t>(epoch)});
}

std::int64_t test_batch(const LoaderOptions& loading) {
  return std::max(loading.batch, kTestPixels / (loading.image * loading.image));
}

ImageTraining::ImageTraining(Case& c, const TrainingSettings& settings, Loader& loader,
                             Loader& test_loader, const Images& test_images, Trainer& trainer,
                             torch_support::CaseProfile& profile)
    : c_(c),
      settings_(settings),
      loader_(loader),
      test_loader_(test_loader),
      test_images_(test_images),
      trainer_(trainer),
      profile_(profile),
      energy_(c) {}

torch_support::TrainingPosition ImageTraining::position() const {
  return {.epoch = progress_.epoch, .step = progress_.tally.batches};
}

std::uint64_t ImageTraining::time_of_steps() const {
  return torch_support::sum(history_.steps.time);
}

void ImageTraining::start_epoch() {
  if (!start_) start_ = now_ns() - progress_.since_start;
  energy_.start();
  profile_.start();
  plan_ = epoch_plan(c_, settings_, progress_.epoch);
  trainer_.model().train();
  requested_ = now_ns();
  epoch_start_ = *requested_ - progress_.epoch_time;
  epoch_begun_ = *requested_;
  plan_.order.erase(plan_.order.begin(),
                    plan_.order.begin() + progress_.loaded * settings_.loading.batch);
  loader_.start(std::move(plan_.order));
}

Batch ImageTraining::next_batch() {
  c_.report_progress();
  Batch batch = loader_.next();
  history_.loaded_bytes = loaded_before_ + static_cast<std::int64_t>(loader_.bytes());
  ++progress_.loaded;
  return batch;
}

void ImageTraining::step() {
  // The time of an epoch's first step includes the start of the loader.
  const std::uint64_t requested = requested_.value_or(now_ns());
  requested_.reset();
  while (progress_.loaded % plan_.every != plan_.first) next_batch();  // computed by other ranks
  const Batch batch = next_batch();
  const std::uint64_t arrived = now_ns();
  Tally& tally = progress_.tally;
  if (tally.batches == 0) {
    history_.epochs.start_pause.push_back(arrived - *epoch_start_);
    note("epoch_start_pause", epoch_begun_, arrived);
  }
  const StepResult result = trainer_.step(batch);
  const auto [loss, right] = read(result);
  history_.steps.add(requested, arrived, now_ns());
  history_.steps.exposed_communication.push_back(result.exposed_communication);
  history_.steps.loss.push_back(loss);
  tally.loss += loss;
  tally.right += right;
  tally.images += settings_.loading.batch;
  ++tally.batches;
}

void ImageTraining::end_epoch() {
  while (progress_.loaded < plan_.loaded) next_batch();  // computed by other ranks
  const std::uint64_t ended = now_ns();
  history_.epochs.time.push_back(ended - *epoch_start_);
  note("epoch", epoch_begun_, ended);
  profile_.stop();
  energy_.stop();
  record_trained_epoch();
  const Tally tested = test();
  History::Epochs& epochs = history_.epochs;
  epochs.test_loss.push_back(tested.loss / static_cast<double>(tested.images));
  epochs.test_accuracy.push_back(ratio(tested.right, tested.images));
  epochs.since_start.push_back(now_ns() - *start_);
  progress_ = {.epoch = progress_.epoch + 1};
  epoch_start_.reset();
}

void ImageTraining::record_trained_epoch() {
  const Tally& trained = progress_.tally;
  history_.images_computed += trained.images;
  history_.epochs.train_loss.push_back(trained.loss / static_cast<double>(trained.batches));
  history_.epochs.train_accuracy.push_back(ratio(trained.right, trained.images));
}

/// Each rank tests its part of the test set; every rank returns the sums over all parts.
Tally ImageTraining::test() {
  const std::uint64_t trained_at = now_ns();
  c_.phase(fmt::format("test epoch {}", progress_.epoch + 1));
  const at::NoGradGuard no_grad;
  trainer_.synchronise_buffers();
  trainer_.model().eval();
  const LoaderOptions& options = settings_.loading;
  const at::Tensor mine = at::arange(c_.rank(), test_images_.labels.size(0), c_.size(), at::kLong);
  const std::int64_t size = test_batch(options), whole = mine.size(0) / size * size;
  const auto* const first = mine.const_data_ptr<std::int64_t>();
  test_loader_.start({first, first + whole});
  std::uint64_t first_batch_at = trained_at;
  Tally tally;
  for (std::int64_t from = 0; from < mine.size(0); from += size) {
    c_.report_progress();
    const Batch batch = from < whole
                            ? test_loader_.next()
                            : batch_of(test_images_, mine.slice(0, from, from + size), options);
    if (from == 0) first_batch_at = now_ns();
    at::Tensor logits;
    {
      const torch_support::Autocast autocast(settings_.precision, options.device);
      logits = trainer_.model().forward(batch.images);
    }
    tally.loss +=
        mean_loss(logits, batch.labels).item<double>() * static_cast<double>(batch.labels.size(0));
    tally.right += count_right(logits, batch.labels).item<std::int64_t>();
  }
  history_.epochs.test_pause.push_back(first_batch_at - trained_at);
  note("test_pause", trained_at, first_batch_at);
  tally.loss = torch_support::sum_over_ranks(c_.ranks(), tally.loss);
  tally.right = c_.ranks().sum(tally.right);
  tally.images = test_images_.labels.size(0);
  note("test", trained_at, now_ns());
  return tally;
}

void ImageTraining::note(std::string_view what, std::uint64_t from, std::uint64_t to) {
  history_.timeline.push_back({what, static_cast<std::uint64_t>(progress_.epoch + 1), from, to});
}

void ImageTraining::trial_step() {
  const LoaderOptions& options = settings_.loading;
  trainer_.model().train();
  trainer_.step(batch_of(
      test_images_, at::arange(options.batch, at::kLong).remainder(test_images_.labels.size(0)),
      options));
}

torch_support::SavedTraining ImageTraining::pack() const {
  Progress now = progress_;
  now.since_start = now_ns() - *start_;
  if (epoch_start_) now.epoch_time = now_ns() - *epoch_start_;
  return pack_state(trainer_, history_, now);
}

void ImageTraining::restore(const torch_support::SavedTraining& saved) {
  restore_state(saved, trainer_, history_, progress_);
  loaded_before_ = history_.loaded_bytes;
  EpochPlan done = epoch_plan(c_, settings_, 0);
  if (progress_.loaded > done.loaded)
    throw InputError("the checkpoint belongs to a longer training");
  done.loaded = progress_.loaded;
  if (done.computed() != progress_.tally.batches)
    throw InputError(
        "the checkpoint's numbers of loaded and computed batches contradict each other");
}

}  // namespace scalemark::imaging
