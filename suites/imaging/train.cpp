// SPDX-License-Identifier: Apache-2.0
// Benchmark imaging/train: trains MobileNetV2 on up-sampled MNIST for every strategy, precision,
// loader and layout.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/case_profile.hpp"
#include "common/torch/fingerprint.hpp"
#include "common/torch/process_group/process_group.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/data/data_set.hpp"
#include "suites/imaging/data/images.hpp"
#include "suites/imaging/model/weights.hpp"
#include "suites/imaging/model/workload.hpp"
#include "suites/imaging/train/loop.hpp"

namespace scalemark::imaging {
namespace {

constexpr double kMomentum = 0.9;
constexpr std::int64_t kAllTestImages = 10000;

/// Proportional to the global batch (Goyal et al. 2017), limited to a rate at which this network
/// trains from the first step.
double learning_rate(std::int64_t global_batch) {
  return std::min(0.1, 0.02 * static_cast<double>(global_batch) / 64);
}

/// Settings of a training, read from the axes.
struct Setup {
  TrainingSettings training;
  TrainerOptions trainer;
  std::int64_t epochs = 1;
  std::int64_t images_per_step = 0;  ///< over all ranks
  bool tuned = false;
};

Setup read_axes(Case& c, c10::Device device) {
  Setup setup;
  TrainingSettings& training = setup.training;
  training.strategy = strategy_from(c.text("strategy"));
  training.precision = torch_support::precision(c.text("precision"));
  setup.epochs = c.integer("epochs");
  training.samples = c.integer("images");
  LoaderOptions& loading = training.loading;
  loading.image = c.integer("image");
  loading.batch = c.integer("batch");
  loading.type = training.precision.parameters;
  loading.narrow = training.precision.compute;
  loading.format =
      c.text("layout") == "nhwc" ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  loading.device = device;
  loading.pin_memory = c.flag("pin_memory");
  loading.workers = static_cast<int>(c.integer("workers"));
  loading.mean = kMnistMean;
  loading.std = kMnistStd;
  setup.tuned = c.text("mode") == "tuned";
  setup.images_per_step = loading.batch * c.size();
  TrainerOptions& trainer = setup.trainer;
  trainer.strategy = training.strategy;
  trainer.precision = training.precision;
  trainer.device = device;
  trainer.format = loading.format;
  trainer.learning_rate = learning_rate(setup.images_per_step);
  trainer.momentum = kMomentum;
  trainer.ddp.broadcast_buffers = c.flag("broadcast_buffers");
  trainer.replicas = static_cast<int>(c.integer("replicas"));
  trainer.threads = c.hardware().threads();
  if (is_data_parallel(training.strategy)) trainer.replica_cpus = c.hardware().sleeping_cpus();
  trainer.graphs = c.flag("graphs");
  return setup;
}

/// Reason why a step cannot be captured as a CUDA graph; empty if it can.
std::string why_no_graph(const Case& c, const Setup& setup) {
  if (setup.training.loading.device.is_cpu()) return "CUDA graphs are for GPUs";
  if (c.size() > 1 || is_data_parallel(setup.training.strategy))
    return "steps are recorded as CUDA graphs on one rank and one GPU only";
  if (setup.training.precision.scales_loss)
    return "loss scaling reads the gradients on the host in each step, which a CUDA graph cannot "
           "do";
  // GPU memory allocation by another thread makes the capture fail.
  if (c.text("loader") == "dali")
    return "steps are not recorded as CUDA graphs beside DALI's threads";
  return "";
}

/// Skips the case if the requested settings are not supported here.
void check(Case& c, const Setup& setup) {
  const TrainingSettings& training = setup.training;
  const std::string lacking = torch_support::why_not(training.precision, training.loading.device);
  if (!c.all_ranks(lacking.empty()))
    c.skip(lacking.empty() ? "another rank cannot train in this precision" : lacking);
  require_loader(c.text("loader"), training.loading.device, c.text("storage") == "files");
  const EpochPlan plan = epoch_plan(c, training, 0);
  if (plan.loaded == 0 || plan.computed() == 0) {
    c.skip(fmt::format("{} images on {} ranks are less than one batch of {} per rank",
                       training.samples, c.size(), training.loading.batch));
  }
  if (const std::string reason = why_no_graph(c, setup); setup.trainer.graphs && !reason.empty())
    c.skip(reason);
  if (training.loading.pin_memory && training.loading.device.is_cpu())
    c.skip("pinned memory is for copies to a GPU");
  const int gpus = training.loading.device.is_cuda() ? device::cuda_device_count() : 0;
  if (gpus > 0 && setup.trainer.replicas > gpus)
    c.skip(
        fmt::format("needs {} GPUs in one process, {} are visible", setup.trainer.replicas, gpus));
  if (setup.trainer.replicas > training.loading.batch) {
    c.skip(fmt::format("a batch of {} cannot be divided over {} replicas", training.loading.batch,
                       setup.trainer.replicas));
  }
}

void verify(Case& c, const History& history, std::uint64_t fingerprint) {
  const bool identical = torch_support::equal_on_all_ranks(c.ranks(), fingerprint);
  const auto not_finite =
      std::ranges::count_if(history.steps.loss, [](double loss) { return !std::isfinite(loss); });
  c.recorder().verified("parameters identical on all ranks, every loss finite",
                        {.checked = history.steps.loss.size() + 1,
                         .wrong = static_cast<std::uint64_t>(not_finite) + (identical ? 0 : 1)});
}

void record_facts(Case& c, const Setup& setup, const DataSet& data, const History& history,
                  Trainer& trainer, const MobileNetV2& model) {
  c.fact("learning_rate", setup.trainer.learning_rate);
  c.fact("optimiser", fmt::format("sgd momentum={}", kMomentum));
  c.fact("data_set", data.name);
  c.fact("train_images", setup.training.samples);
  c.fact("test_images", std::int64_t{data.test.labels.size(0)});
  c.fact("images_seen", c.ranks().sum(history.images_computed));
  c.fact("loaded_bytes", c.ranks().sum(history.loaded_bytes));
  if (is_ddp(setup.training.strategy)) {
    std::int64_t gradient_bytes = 0;
    for (const at::Tensor& parameter : model.parameters())
      gradient_bytes += static_cast<std::int64_t>(parameter.nbytes());
    c.fact("gradient_bytes", gradient_bytes);
  }
  if (setup.training.precision.scales_loss) {
    c.fact("loss_scale", trainer.scaler().current());
    c.fact("skipped_steps", trainer.scaler().skipped());
  }
}

struct Trained {
  History history;
  std::optional<double> joules;  ///< see ImageTraining; empty if resumed
  std::vector<torch_support::BucketReady> buckets;
  bool resumed = false;
};

/// Collective. Trains `model`, from the start or from a checkpoint. Only ddp strategies need
/// `group`.
Trained train_model(Case& c, const Setup& setup, const DataSet& data,
                    const std::shared_ptr<MobileNetV2>& model,
                    const torch_support::ProcessGroupPtr& group,
                    torch_support::CaseProfile& profile) {
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<Loader> loader, test_loader;
  {
    const Case::Communicating communicating(c);
    trainer = make_trainer(model, setup.trainer, group);
    LoaderOptions loading = setup.training.loading;
    loading.device = trainer->input_device();
    loader = make_loader(c.text("loader"), data.train, loading);
    LoaderOptions testing = setup.training.loading;
    testing.batch = test_batch(testing);
    test_loader = make_loader(c.text("loader"), data.test, testing);
  }
  // Each rank draws its own dropout masks.
  at::manual_seed(c.seed() + static_cast<std::uint64_t>(c.rank()) + 1);
  ImageTraining training(c, setup.training, *loader, *test_loader, data.test, *trainer, profile);
  const torch_support::TrainingPlan plan{
      .epochs = setup.epochs, .steps_per_epoch = epoch_plan(c, setup.training, 0).computed()};
  const auto saved = torch_support::resume(c, plan, training);
  if (saved) c.fact("resumed_at_epoch", training.position().epoch + 1);
  const Case::Communicating communicating(c);
  if (saved) torch_support::warm_up_reducer(c, *saved, training);
  torch_support::run_training(c, plan, training);
  record_facts(c, setup, data, training.history(), *trainer, *model);
  // The energy of an interrupted training was not measured completely.
  return {training.history(), saved ? std::nullopt : training.joules(), trainer->gradient_buckets(),
          saved.has_value()};
}

void train_network(Case& c) {
  const c10::Device device = torch_support::prepare(c);
  torch_support::CaseProfile profile(c);
  const Setup setup = read_axes(c, device);
  check(c, setup);
  torch_support::allow_tf32(setup.training.precision.tf32);

  c.phase("read data set");
  DataRequest request{
      .train = setup.training.samples, .test = {}, .loading = setup.training.loading};
  if (const std::int64_t tests = c.integer("test_images"); tests > 0) request.test = tests;
  const DataSet data = load_data_set(c, request);
  c.phase("set up");
  auto model = std::make_shared<MobileNetV2>(MobileNetOptions{.fused = setup.tuned});
  model->to(setup.training.precision.parameters);
  set_start(c, *model);
  torch_support::ProcessGroupPtr group;
  if (is_ddp(setup.training.strategy) && !setup.trainer.graphs) {
    group = torch_support::make_process_group(c, device, c.text("backend"));
    c.fact("process_group", torch_support::resolve_backend(c.text("backend"), c.text("device")));
  }
  const Trained trained = train_model(c, setup, data, model, group, profile);
  c.phase("check");
  const std::uint64_t fingerprint = torch_support::fingerprint(model->parameters());
  verify(c, trained.history, fingerprint);
  record_training(c, setup.training, trained.history, setup.images_per_step, trained.joules);
  torch_support::record_gradient_buckets(c, trained.buckets);
  record_loading(c, data);
  profile.record(!trained.resumed);
  c.fact("parameters_fingerprint", torch_support::to_hex(fingerprint));
}

void train(Case& c) {
  torch_support::run_body([&] { train_network(c); });
}

/// Device memory: parameters, gradients, momentum and buckets; batches in the loader; and
/// activations kept for the backward pass, which are 147 convolution outputs per pixel of the
/// image, about three times.
std::uint64_t memory(const Point& point) {
  const std::int64_t element = point.text("precision") == "fp64" ? 8 : 4;
  const std::int64_t image = point.integer("image");
  const std::int64_t pixels = point.integer("batch") * image * image;
  const std::int64_t batches = 2 * point.integer("workers") + 2;
  return static_cast<std::uint64_t>(pixels * element * (147 * 3 + 3 * batches) +
                                    point.integer("replicas") * element * (std::int64_t{60} << 20));
}

std::uint64_t host_memory(const Point& point) {
  const std::int64_t given = point.integer("test_images");
  const std::int64_t tests = given > 0 ? given : kAllTestImages;
  const bool fp64 = point.text("precision") == "fp64";
  return data_set_memory(point, point.integer("images") + tests, fp64 ? 8 : 4);
}

std::int64_t steps(const Point& point) {
  const EpochPlan epoch = plan_epoch({.strategy = strategy_from(point.text("strategy")),
                                      .samples = point.integer("images"),
                                      .batch = point.integer("batch"),
                                      .ranks = point.integer("ranks")});
  return point.integer("epochs") * epoch.computed();
}

/// Strategies of one process run on one rank without a back end; only data_parallel has replicas.
void adjust(Point& point) {
  const Strategy strategy = strategy_from(point.text("strategy"));
  point["backend"] = is_ddp(strategy) ? torch_support::simplest_backend(point.text("backend"),
                                                                        point.text("device"))
                                      : "auto";
  if (!is_ddp(strategy)) point["ranks"] = std::int64_t{1};
  if (!is_data_parallel(strategy)) point["replicas"] = std::int64_t{1};
  adjust_storage(point);
}

SCALEMARK_BENCHMARK("imaging/train", train)
    .doc(
        "Training of MobileNetV2 on up-sampled MNIST: step time, images per second, loss, accuracy")
    .axis("mode", {.values = {"paper", "tuned"}, .defaults = {"paper"}})
    .axis("strategy", {.values = strategy_names(), .defaults = {"ddp_ds"}})
    .axis("precision", {.values = torch_support::precision_names(), .defaults = {"fp32"}})
    .axis("layout", {.values = {"nchw", "nhwc"}, .defaults = {"nchw"}})
    .axis("loader", {.values = loader_names(), .defaults = {"threads"}, .implied = "threads"})
    .axis_integer("workers", {.minimum = 0, .maximum = 256, .defaults = "0", .implied = 0})
    .axis_boolean("pin_memory", {.defaults = {false}, .implied = false})
    .axis_boolean("broadcast_buffers", {.defaults = {true}, .implied = true})
    .axis_boolean("graphs", {.defaults = {false}, .implied = false})
    .axis_boolean("profile", {.defaults = {false}, .implied = false})
    .with(torch_support::backend_axis)
    .axis_integer("replicas", {.minimum = 1, .maximum = 64, .default_is_ranks = true, .implied = 1})
    .with(data_set_axes)
    .axis("start", {.values = {"random", "weights"}, .defaults = {"random"}, .implied = "random"})
    .axis_integer("images", {.minimum = 1,
                             .maximum = 60000,
                             .defaults = "10000",
                             .quick = "1280",
                             .doc = "Images of the training set",
                             .unit = "{image}"})
    .axis_integer("test_images", {.minimum = 0, .maximum = 10000, .defaults = "0", .implied = 0})
    .axis_integer("image", {.minimum = 28, .maximum = 700, .defaults = "100", .quick = "32"})
    .axis_integer("batch", {.minimum = 1, .maximum = 4096, .defaults = "32", .quick = "32"})
    .axis_integer("epochs", {.minimum = 1, .maximum = 1000, .defaults = "1", .quick = "1"})
    .compute_axes()
    .ranks(1)
    .adjust(adjust)
    .fixed_work()
    .workload(training_workload, why_unknown_operations)
    .communication(training_communication)
    .steps(steps)
    .memory(memory)
    .host_memory(host_memory)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::imaging
