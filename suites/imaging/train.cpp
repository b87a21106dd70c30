// SPDX-License-Identifier: Apache-2.0
// Data-parallel training of MobileNetV2 on up-sampled MNIST: time of a step, images per second,
// accuracy.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/sgd.h>

#include "common/base/clock.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/ddp.hpp"
#include "common/torch/fingerprint.hpp"
#include "common/torch/process_group.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/images.hpp"
#include "suites/imaging/mnist.hpp"
#include "suites/imaging/mobilenet.hpp"
#include "suites/imaging/mobilenet_shape.hpp"

namespace scalemark::imaging {
namespace {

constexpr double kMomentum = 0.9;
constexpr std::int64_t kTestPixels = 1 << 18;  ///< a batch of the test: 256 images of 32 x 32

/// Linear in the global batch (Goyal et al. 2017), bounded where this network still trains from the
/// first step on.
double learning_rate(std::int64_t global_batch) {
  return std::min(0.1, 0.02 * static_cast<double>(global_batch) / 64);
}

/// A data set as tensors on the host: pixels [n, 1, h, w], labels [n].
struct Samples {
  at::Tensor pixels, labels;

  explicit Samples(const LabelledImages& set, std::int64_t count)
      : pixels(at::empty({count, 1, set.images.shape[1], set.images.shape[2]}, at::kByte)),
        labels(at::empty({count}, at::kLong)) {
    std::copy_n(set.images.values.begin(), pixels.numel(), pixels.mutable_data_ptr<std::uint8_t>());
    std::copy_n(set.labels.values.begin(), count, labels.mutable_data_ptr<std::int64_t>());
  }
};

/// What the axes say of a batch.
struct Input {
  std::int64_t image, batch;
  at::MemoryFormat format;
  c10::Device device;

  /// Prepared on the host, sent as one channel, made three on the device.
  at::Tensor images(const Samples& from, const at::Tensor& which) const {
    const at::Tensor pixels = scale(from.pixels.index_select(0, which), at::kFloat);
    return three_channels(normalise(upsample(pixels, image)).to(device), format);
  }
  at::Tensor labels(const Samples& from, const at::Tensor& which) const {
    return from.labels.index_select(0, which).to(device);
  }
};

/// Everything that grows as training goes on.
struct History {
  std::vector<std::uint64_t> step_times, epoch_times;
  std::vector<double> losses, accuracies;
};

/// One pass of this rank over its share of the training set.
void train_epoch(Case& c, const Input& input, const Samples& samples, std::uint64_t epoch,
                 MobileNetV2& model, torch_support::Ddp& ddp, torch::optim::SGD& optimiser,
                 History& history) {
  const std::vector<std::int64_t> order = sampler_indices({.samples = samples.labels.size(0),
                                                           .ranks = c.size(),
                                                           .rank = c.rank(),
                                                           .seed = c.seed(),
                                                           .epoch = epoch});
  const at::Tensor indices = at::tensor(order, at::kLong);
  const std::int64_t steps =
      indices.size(0) / input.batch;  // a smaller last batch would be another experiment
  model.train();
  const std::uint64_t epoch_start = now_ns();
  for (std::int64_t step = 0; step < steps; ++step) {
    c.tick();
    const std::uint64_t start = now_ns();
    const at::Tensor which = indices.narrow(0, step * input.batch, input.batch);
    const at::Tensor x = input.images(samples, which), labels = input.labels(samples, which);
    ddp.before_forward();
    const at::Tensor loss = torch::nn::functional::cross_entropy(model.forward(x), labels);
    ddp.before_backward();
    loss.backward();
    optimiser.step();
    ddp.zero_gradients();
    history.losses.push_back(loss.item<double>());
    c.device().synchronize();
    history.step_times.push_back(now_ns() - start);
  }
  history.epoch_times.push_back(now_ns() - epoch_start);
}

/// Collective. Share of the test set that rank 0's model gets right; the ranks divide the work.
double accuracy(Case& c, const Input& input, const Samples& test, MobileNetV2& model,
                torch_support::Ddp& ddp) {
  const at::NoGradGuard no_grad;
  ddp.broadcast_buffers();
  model.eval();
  const at::Tensor mine = at::arange(c.rank(), test.labels.size(0), c.size(), at::kLong);
  // No gradients are kept: small images go in larger batches, at no more memory than training
  // takes.
  const std::int64_t batch = std::max(input.batch, kTestPixels / (input.image * input.image));
  std::int64_t right = 0;
  for (std::int64_t from = 0; from < mine.size(0); from += batch) {
    c.tick();
    const at::Tensor which = mine.slice(0, from, from + batch);
    const at::Tensor guess = model.forward(input.images(test, which)).argmax(1);
    right += (guess == input.labels(test, which)).sum().item<std::int64_t>();
  }
  return static_cast<double>(c.ranks().sum(right)) / static_cast<double>(test.labels.size(0));
}

void record(Case& c, const Input& input, const History& history) {
  const std::size_t steps = history.step_times.size();
  // The first steps allocate, choose kernels and rebuild the buckets.
  std::vector<std::uint8_t> warmup(steps, 0);
  const auto marked = static_cast<std::size_t>(std::max(0, c.policy().warmup.value_or(3)));
  std::fill_n(warmup.begin(), std::min(marked, steps - 1), std::uint8_t{1});
  const auto global_batch = static_cast<double>(input.batch * c.size());
  c.record_durations("step_time", history.step_times, RankReduce::max, warmup);
  c.record_rate("images_per_second", "{image}/s", "step_time", global_batch,
                "batch * ranks / step_time");
  const auto series = [&](const std::string& name, Better better, RankReduce reduce,
                          const std::vector<double>& values, const std::string& formula) {
    c.record(name, "1", better, MetricKind::ratio, reduce, values, formula);
  };
  const auto last = static_cast<std::ptrdiff_t>(std::min<std::size_t>(10, steps));
  const double last_loss = std::accumulate(history.losses.end() - last, history.losses.end(), 0.0) /
                           static_cast<double>(last);
  series("accuracy", Better::higher, RankReduce::root, {history.accuracies.back()},
         "right / test images, at the end");
  series("loss", Better::lower, RankReduce::mean, {last_loss}, "mean of the last 10 steps");
  c.record_rate("achieved_flops", "flop/s", "step_time",
                6 * multiply_adds(input.image, kMnistClasses) * static_cast<double>(input.batch),
                "6 * multiply-adds of an image * batch / step_time, a rank");
  c.record_durations("epoch_time", history.epoch_times, RankReduce::max);
  const std::vector<std::uint64_t> total{
      std::accumulate(history.epoch_times.begin(), history.epoch_times.end(), std::uint64_t{0})};
  c.record_durations("total_time", total, RankReduce::max);
  series("first_loss", Better::none, RankReduce::mean, {history.losses.front()},
         "before the first update");
  series("step_loss", Better::none, RankReduce::mean, history.losses,
         "cross entropy of each step's batch");
  series("epoch_accuracy", Better::none, RankReduce::root, history.accuracies,
         "right / test images, after each epoch");
  c.primary("step_time");
}

void train_network(Case& c) {
  const c10::Device device = torch_support::prepare(c);
  const bool nhwc = c.text("layout") == "nhwc";
  const Input input{.image = c.integer("image"),
                    .batch = c.integer("batch"),
                    .format = nhwc ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous,
                    .device = device};
  const std::int64_t images = c.integer("images"), epochs = c.integer("epochs");
  if ((images + c.size() - 1) / c.size() < input.batch) {
    c.skip(fmt::format("{} images over {} ranks are less than one batch of {}", images, c.size(),
                       input.batch));
  }

  c.phase("read data set");
  const bool full_set = c.text("dataset") == "mnist";
  if (full_set && c.data("mnist").empty()) c.skip("the full set is not given: --data mnist=DIR");
  const Mnist mnist = load_mnist(full_set ? c.data("mnist") : "");
  if (images > mnist.train.count()) {
    c.skip(fmt::format("images={}, but the training set has {}", images, mnist.train.count()));
  }
  const Samples train_set(mnist.train, images), test_set(mnist.test, mnist.test.count());

  c.phase("set up");
  auto model = std::make_shared<MobileNetV2>();
  model->to(device);
  if (nhwc) to_channels_last(*model);
  const torch_support::ProcessGroupPtr group = torch_support::make_process_group(c, device);
  History history;
  {
    const Case::Communicating communicating(c);
    torch_support::Ddp ddp(model, group);
    const double rate = learning_rate(input.batch * c.size());
    torch::optim::SGD optimiser(model->parameters(),
                                torch::optim::SGDOptions(rate).momentum(kMomentum));
    at::manual_seed(c.seed() + static_cast<std::uint64_t>(c.rank()) +
                    1);  // dropout differs between ranks
    for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
      c.phase(fmt::format("train epoch {}", epoch));
      train_epoch(c, input, train_set, static_cast<std::uint64_t>(epoch - 1), *model, ddp,
                  optimiser, history);
      c.phase(fmt::format("test epoch {}", epoch));
      history.accuracies.push_back(accuracy(c, input, test_set, *model, ddp));
    }
    c.fact("learning_rate", rate);
  }

  c.phase("check");
  const std::uint64_t hash = torch_support::fingerprint(model->parameters());
  const bool identical = torch_support::equal_on_all_ranks(c.ranks(), hash);
  const auto not_finite =
      std::ranges::count_if(history.losses, [](double loss) { return !std::isfinite(loss); });
  c.verified("parameters identical on all ranks, every loss finite",
             {.checked = history.losses.size() + 1,
              .wrong = static_cast<std::uint64_t>(not_finite) + (identical ? 0 : 1)});
  record(c, input, history);
  c.fact("parameters_fingerprint", torch_support::to_hex(hash));
  c.fact("optimiser", fmt::format("sgd momentum={}", kMomentum));
  c.fact("data_set", mnist.name);
  c.fact("train_images", images);
  c.fact("test_images", std::int64_t{mnist.test.count()});
  c.fact("images_seen",
         static_cast<std::int64_t>(history.step_times.size()) * input.batch * c.size());
}

void train(Case& c) {
  torch_support::translate_errors([&] { train_network(c); });
}

/// Parameters, gradients, momentum and buckets; the data set; what a forward pass keeps for the
/// backward pass: 147 outputs of convolutions for every pixel of the image, about three times.
std::uint64_t memory(const Params& params) {
  const auto value = [&](const char* axis) {
    return static_cast<std::uint64_t>(std::get<std::int64_t>(params.at(axis)));
  };
  const std::uint64_t kept = value("batch") * value("image") * value("image") * 147 * 4 * 3;
  return kept + value("images") * 784 * 2 + (std::uint64_t{250} << 20);
}

SCALEMARK_BENCHMARK("imaging/train", train)
    .doc(
        "Training of MobileNetV2 on up-sampled MNIST: step time, images per second, loss, accuracy")
    .axis("mode", {"paper"})
    .axis("strategy", {"ddp_ds"})
    .axis("precision", {"fp32"})
    .axis("layout", {"nchw", "nhwc"}, {"nchw"})
    .axis("dataset", {"mnist_subset", "mnist"}, {"mnist_subset"})
    .implied("mnist_subset")
    .axis_integer("images", 1, 60000, "10000", "1280")
    .axis_integer("image", 28, 700, "100", "32")
    .axis_integer("batch", 1, 4096, "32", "32")
    .axis_integer("epochs", 1, 1000, "1", "1")
    .compute_axes()
    .ranks(1)
    .memory(memory)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::imaging
