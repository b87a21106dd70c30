// SPDX-License-Identifier: Apache-2.0
// Benchmark imaging/loader: throughput of batches without a model.
#include <algorithm>
#include <cmath>
#include <string>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/data/data_set.hpp"
#include "suites/imaging/data/images.hpp"
#include "suites/imaging/data/rgb300.hpp"
#include "suites/imaging/train/strategy.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kAllImages = 60000;

/// Absolute tolerance for values of order 1. A source position in fp32 is rounded three times, each
/// by at most 2^-24 of the image edge. Neighbouring pixels differ by at most 1 / std on each of two
/// axes.
double tolerance_of(const std::string& loader, const Images& pictures) {
  constexpr double kRounding = 1e-5;
  if (loader == "threads") return kRounding;  // source positions in fp64
  const std::int64_t edge =
      pictures.in_files() ? kRgbSize : std::max(pictures.pixels.size(2), pictures.pixels.size(3));
  return kRounding + 2 * 3 * std::ldexp(static_cast<double>(edge), -24) / kMnistStd;
}

void load_batches(Case& c) {
  const c10::Device device = torch_support::prepare(c);
  const bool nhwc = c.text("layout") == "nhwc";
  const LoaderOptions options{
      .image = c.integer("image"),
      .batch = c.integer("batch"),
      .format = nhwc ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous,
      .device = device,
      .pin_memory = c.flag("pin_memory"),
      .workers = static_cast<int>(c.integer("workers")),
      .mean = kMnistMean,
      .std = kMnistStd};
  if (options.pin_memory && device.is_cpu()) c.skip("pinned memory is for copies to a GPU");
  require_loader(c.text("loader"), device, c.text("storage") == "files");
  DataRequest wanted{.train = {}, .test = 0, .loading = options};
  if (const std::int64_t images = c.integer("images"); images > 0) wanted.train = images;
  const DataSet data = load_data_set(c, wanted);
  EpochRequest request{.strategy = Strategy::ddp_ds,
                       .samples = wanted.train.value_or(data.train.labels.size(0)),
                       .batch = options.batch,
                       .ranks = c.size(),
                       .rank = c.rank(),
                       .seed = c.seed()};
  EpochPlan plan = plan_epoch(request);
  if (plan.loaded < 2) c.skip("the data set has fewer than two batches for each rank");
  const auto loader = make_loader(c.text("loader"), data.train, options);
  std::int64_t taken = plan.loaded;  // makes the first call start an epoch
  Batch batch;
  const auto next = [&] {
    if (taken == plan.loaded) {
      plan = plan_epoch(request);
      ++request.epoch;
      loader->start(plan.order);
      taken = 0;
    }
    batch = loader->next();
    ++taken;
    c.device().synchronize();
  };
  const double tolerance = tolerance_of(c.text("loader"), data.train);
  const auto rule = fmt::format(
      "every value of the batch against LibTorch's operators in fp64, {:.1g}; every label",
      tolerance);
  c.verify(rule, [&] {
    const auto from = plan.order.begin() + (taken - 1) * options.batch;
    const std::vector<std::int64_t> which(from, from + options.batch);
    const at::Tensor samples = at::tensor(which, at::kLong);
    const at::Tensor images = batch.images.cpu();
    LoaderOptions exact = options;
    exact.type = at::kDouble;
    const at::Tensor pixels = pixels_of(data.train, samples);
    const at::Tensor expected =
        prepare(pixels.scalar_type() == at::kByte ? pixels : pixels.to(at::kDouble), exact);
    const at::Tensor labels = data.train.labels.index_select(0, samples);
    const std::int64_t wrong = (images - expected).abs().gt(tolerance).sum().item<std::int64_t>() +
                               batch.labels.cpu().ne(labels).sum().item<std::int64_t>();
    return Case::Checked{static_cast<std::uint64_t>(images.numel() + labels.numel()),
                         static_cast<std::uint64_t>(wrong)};
  });
  const auto bytes = static_cast<double>(options.batch * 3 * options.image * options.image) * 4;
  c.work({.bytes = bytes, .formula = "3 * image^2 * 4 * batch / time"});
  c.measure(next, {.metric = "time", .barrier = false, .warmup = 5});
  c.record_rate("images_per_second", "{image}/s", "time",
                static_cast<double>(options.batch * c.size()), "batch * ranks / time");
  record_loading(c, data);
}

void loader(Case& c) {
  torch_support::run_body([&] { load_batches(c); });
}

SCALEMARK_BENCHMARK("imaging/loader", loader)
    .doc("Batches of up-sampled MNIST prepared and sent to the device, without a model")
    .axis("loader", {.values = loader_names()})
    .axis("layout", {.values = {"nchw", "nhwc"}, .defaults = {"nchw"}})
    .axis_integer("workers", {.minimum = 0, .maximum = 256, .defaults = "0"})
    .axis_boolean("pin_memory", {.defaults = {false}, .implied = false})
    .with(data_set_axes)
    .axis_integer("images", {.minimum = 0, .maximum = 60000, .defaults = "0", .implied = 0})
    .axis_integer("image", {.minimum = 28, .maximum = 700, .defaults = "100", .quick = "32"})
    .axis_integer("batch", {.minimum = 1, .maximum = 4096, .defaults = "32"})
    .compute_axes()
    .rank_local()
    .memory([](const Point& p) {
      const std::int64_t image = p.integer("image"), batches = 2 * p.integer("workers") + 3;
      return static_cast<std::uint64_t>(p.integer("batch") * image * image * 12 * batches +
                                        (std::int64_t{64} << 20));
    })
    .host_memory([](const Point& p) {
      const std::int64_t images = p.integer("images");
      return data_set_memory(p, images > 0 ? images : kAllImages, sizeof(float));
    })
    .adjust(adjust_storage)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::imaging
