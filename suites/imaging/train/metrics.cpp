// SPDX-License-Identifier: Apache-2.0
// Records the metrics of a training.
#include <algorithm>
#include <string>

#include "common/torch/training/step_records.hpp"
#include "suites/imaging/data/mnist.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"
#include "suites/imaging/train/loop.hpp"

namespace scalemark::imaging {
namespace {

/// Records the time until `accuracy` was first reached in a test, tests included. Records nothing
/// if it was never reached.
void record_time_to(Case& c, const History& history, double accuracy, const std::string& name) {
  const auto found =
      std::ranges::find_if(history.epochs.test_accuracy, [&](double a) { return a >= accuracy; });
  if (found == history.epochs.test_accuracy.end()) return;
  const auto epoch = static_cast<std::size_t>(found - history.epochs.test_accuracy.begin());
  c.record_durations(name, std::vector<std::uint64_t>{history.epochs.since_start[epoch]},
                     RankReduce::max);
}

}  // namespace

void record_training(Case& c, const TrainingSettings& settings, const History& history,
                     std::int64_t images_per_step, const std::optional<double>& joules) {
  const std::size_t steps = history.steps.time.size();
  const std::vector<std::uint8_t> warmup = torch_support::warmup_steps(c.policy(), steps);
  std::vector<std::uint64_t> compute(steps);
  std::ranges::transform(history.steps.time, history.steps.wait, compute.begin(), std::minus<>());
  const auto images = static_cast<double>(images_per_step);
  const auto series = [&](const std::string& name, Better better, RankReduce reduce,
                          const std::vector<double>& values, const std::string& formula) {
    c.record(name, "1", better, MetricKind::ratio, reduce, values, formula);
  };
  // The first four are columns of the printed table.
  torch_support::record_step_time(c, history.steps, warmup);
  torch_support::record_timeline(c, history.timeline, history.steps);
  c.record_rate("images_per_second", "{image}/s", "step_time", images,
                "images of a step over all ranks / step_time");
  series("accuracy", Better::higher, RankReduce::root, {history.epochs.test_accuracy.back()},
         "right / test images, at the end");
  series("loss", Better::lower, RankReduce::mean, {torch_support::mean_of_last(history.steps.loss)},
         "mean of the last 10 steps");
  c.record_durations("loader_wait", history.steps.wait, RankReduce::max, warmup);
  c.record_durations("compute_time", compute, RankReduce::max, warmup);
  c.record_rate("images_per_second_without_loading", "{image}/s", "compute_time", images,
                "images of a step over all ranks / compute_time");
  c.peaks().record_flops(
      "step_time", 6 * multiply_adds(settings.loading.image, kMnistClasses) * images / c.size(),
      c.text("precision"), "6 * multiply-adds of an image * images of a step / step_time, a rank",
      static_cast<int>(c.integer("replicas")));
  if (is_ddp(settings.strategy) && c.size() > 1 && settings.loading.device.is_cpu()) {
    c.record_durations("exposed_communication_time", history.steps.exposed_communication,
                       RankReduce::max, warmup);
  }
  c.record_durations("epoch_time", history.epochs.time, RankReduce::max);
  const auto total = [&](const std::string& name, std::uint64_t time, const std::string& formula) {
    c.record_durations(name, std::vector{time}, RankReduce::max, {}, formula);
  };
  const std::uint64_t epochs = torch_support::sum(history.epochs.time),
                      waits = torch_support::sum(history.steps.wait);
  total("total_time", epochs, "all epochs without their tests");
  total("total_time_with_tests", history.epochs.since_start.back(),
        "from the first request of a batch to the end of the last test");
  total("total_time_without_loading", epochs - std::min(epochs, waits),
        "total_time - all of loader_wait");
  c.record_durations("epoch_start_pause", history.epochs.start_pause, RankReduce::max);
  c.record_durations("test_pause", history.epochs.test_pause, RankReduce::max);
  record_time_to(c, history, 0.98, "time_to_98_percent");
  record_time_to(c, history, 0.99, "time_to_99_percent");
  torch_support::record_peak_memory(c, settings.loading.device);
  torch_support::record_energy(c, joules, "image",
                               static_cast<double>(c.ranks().sum(history.images_computed)),
                               "the epochs without their tests");
  series("first_loss", Better::none, RankReduce::mean, {history.steps.loss.front()},
         "before the first update");
  series("step_loss", Better::none, RankReduce::mean, history.steps.loss,
         "cross entropy of each step's batch");
  series("epoch_loss", Better::none, RankReduce::mean, history.epochs.train_loss,
         "mean over the steps of each epoch");
  series("epoch_train_accuracy", Better::none, RankReduce::mean, history.epochs.train_accuracy,
         "right / images, in training mode, over each epoch");
  series("epoch_test_loss", Better::none, RankReduce::root, history.epochs.test_loss,
         "mean over the test images, after each epoch");
  series("epoch_accuracy", Better::none, RankReduce::root, history.epochs.test_accuracy,
         "right / test images, after each epoch");
  c.recorder().set_primary("step_time");
}

}  // namespace scalemark::imaging
