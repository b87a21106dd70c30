// SPDX-License-Identifier: Apache-2.0
// Loads the data set of a case and records its loading time and memory.
#include "suites/imaging/data/data_set.hpp"

#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "suites/imaging/data/mnist.hpp"
#include "suites/imaging/data/rgb300.hpp"
#include "suites/imaging/data/rgb300_data.hpp"

namespace scalemark::imaging {
namespace {

bool in_files(const Point& point) { return point.text("scenario") == "b"; }

Images to_tensors(const LabelledImages& set) {
  const std::int64_t count = set.count();
  Images result{at::empty({count, 1, set.images.shape[1], set.images.shape[2]}, at::kByte),
                at::empty({count}, at::kLong)};
  std::copy_n(set.images.values.begin(), result.pixels.numel(),
              result.pixels.mutable_data_ptr<std::uint8_t>());
  std::copy_n(set.labels.values.begin(), count, result.labels.mutable_data_ptr<std::int64_t>());
  return result;
}

}  // namespace

void data_set_axes(Benchmark& benchmark) {
  benchmark
      .axis("dataset",
            {.values = {"mnist_subset", "mnist"},
             .defaults = {"mnist_subset"},
             .implied = "mnist_subset",
             .doc = "Images: the 10,000 of MNIST that ship with the project, or all of MNIST"})
      .axis("scenario", {.values = {"a", "b"}, .defaults = {"a"}, .implied = "a"})
      .axis("storage", {.values = {"per_rank", "shared", "files"},
                        .defaults = {"per_rank"},
                        .implied = "per_rank"})
      .where([](const Point& p) {
        return p.text("storage") != "files" || (in_files(p) && p.text("loader") == "dali");
      });
}

void adjust_storage(Point& point) {
  if (!in_files(point)) point["storage"] = std::string("per_rank");
}

std::uint64_t data_set_memory(const Point& point, std::int64_t pictures, std::uint64_t element) {
  const auto count = static_cast<std::uint64_t>(pictures);
  if (!in_files(point)) return count * 784 * 2;
  // The number of ranks that share a window is known only at run time: assume one.
  const std::string& storage = point.text("storage");
  if (storage == "files") return count * 128;  // paths and labels
  const bool shared = storage == "shared";
  return count * (kRgbBytes * (shared ? 1 : element) + 8);
}

DataSet load_data_set(Case& c, const DataRequest& request) {
  const std::string& wanted = c.text("dataset");
  if (wanted == "mnist" && c.inputs().data("mnist").empty())
    c.skip("the full MNIST is missing: set --data mnist=DIR");
  const Mnist mnist = load_mnist(wanted == "mnist_subset" ? "" : c.inputs().data("mnist"));
  if (request.train > std::int64_t{mnist.train.count()}) {
    c.skip(
        fmt::format("images={}, but the training set has {}{}", *request.train, mnist.train.count(),
                    c.inputs().data("mnist").empty() ? " (the full one: --data mnist=DIR)" : ""));
  }
  if (c.text("scenario") == "b") return load_rgb300(c, mnist, request);
  DataSet data;
  data.train = to_tensors(mnist.train);
  data.test = to_tensors(mnist.test);
  if (request.test) data.test = data.test.first(*request.test);
  data.name = mnist.name;
  return data;
}

void record_loading(Case& c, const DataSet& data) {
  if (!data.disk) return;
  c.fact("disk_bytes", static_cast<std::int64_t>(data.disk->disk_bytes));
  if (data.train.in_files()) return;  // the loader reads them in each epoch
  c.record_durations("disk_load_time", std::vector<std::uint64_t>{data.disk->load_time_ns},
                     RankReduce::max);
  c.record("resident_bytes", "By", Better::lower, MetricKind::count, RankReduce::max,
           std::vector<double>{static_cast<double>(data.disk->resident_bytes)},
           "memory of the data set / ranks that share it");
}

}  // namespace scalemark::imaging
