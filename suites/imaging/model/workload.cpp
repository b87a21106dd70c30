// SPDX-License-Identifier: Apache-2.0
// From the convolutions of MobileNetV2 to the rows that measure them.
#include "suites/imaging/model/workload.hpp"

#include <algorithm>
#include <string>

#include "suites/imaging/model/mobilenet_shape.hpp"

namespace scalemark::imaging {
namespace {

/// Axes of a row with gradients.
Point with_gradients(const Point& training) {
  Point point = axes_of_rows(training);
  point["pass"] = std::string("train");
  return point;
}

/// The same of an operation that has no row in TF32, which is for products.
Point without_tf32(const Point& training) {
  Point point = with_gradients(training);
  if (training.text("precision") == "tf32") point["precision"] = std::string("fp32");
  return point;
}

bool has_relu6(const Convolution& layer) { return !layer.name.starts_with("project"); }

/// Batch normalisation behind a convolution; tuned on a CPU, fp32 and fp64 in NHWC have it in one
/// kernel with ReLU6 (can_fuse_norm_relu6).
Point normalisation(const Convolution& layer, const Point& training) {
  const std::int64_t batch = training.integer("batch"), size = layer.out_size();
  const std::string precision = training.text("precision"), layout = training.text("layout");
  const bool fused = has_relu6(layer) && training.text("mode") == "tuned" &&
                     training.text("device") == "cpu" && layout == "nhwc" &&
                     (precision == "fp32" || precision == "fp64");
  Point point = without_tf32(training);
  point["kind"] = std::string(has_relu6(layer) ? "batch_relu6" : "batch");
  point["channels"] = layer.out;
  point["rows"] = batch * size * size;
  point["images"] = batch;
  point["layout"] = layout;
  point["fused"] = fused;
  return point;
}

void count(Workload& workload, WorkloadPart part) {
  const auto known = std::ranges::find_if(workload, [&](const WorkloadPart& one) {
    return one.component == part.component && one.has_row_of(part);
  });
  if (known == workload.end())
    workload.push_back(std::move(part));
  else
    ++known->count;
}

/// A sum of tensors of so many elements. With its gradients it is still one addition.
Point sum_of(std::int64_t elements, const Point& training) {
  Point point = without_tf32(training);
  point["operation"] = std::string("add");
  point["model"] = std::string("tiny");
  point["tokens"] = std::int64_t{1};
  point["elements"] = elements;
  return point;
}

/// Residual sums, the sums of the gradients of what they have twice, and what counts the batches of
/// each normalisation.
void add_sums(const std::vector<Convolution>& layers, const Point& training, Workload& workload) {
  for (const char* component : {"residual sums", "sums of gradients"}) {
    for (const Convolution& layer : with_residual_sum(layers)) {
      const std::int64_t size = layer.out_size(),
                         elements = training.integer("batch") * layer.out * size * size;
      count(workload, {component, "micro/elementwise", sum_of(elements, training), 1});
    }
  }
  workload.push_back(
      {"batch counters", "micro/elementwise", sum_of(1, training), std::ssize(layers)});
}

/// Pooling, classifier and loss.
Point classifier(const Point& training) {
  Point point = without_tf32(training);
  point["layout"] = training.text("layout");
  point["image"] = training.integer("image");
  point["batch"] = training.integer("batch");
  return point;
}

struct Sizes {
  std::int64_t parameters = 0, tensors = 0, channels = 0;
};

/// All parameters in all tensors: weights of the convolutions, scale and shift behind each, and the
/// classifier. Channels of all normalisations.
Sizes sizes_of(const std::vector<Convolution>& layers) {
  const std::int64_t last = layers.back().out;
  Sizes sizes{.parameters = last * kClasses + kClasses, .tensors = 2};
  for (const Convolution& layer : layers) {
    sizes.parameters += layer.out * (layer.in / layer.groups) * layer.kernel * layer.kernel;
    sizes.parameters += 2 * layer.out;
    sizes.tensors += 3;
    sizes.channels += layer.out;
  }
  return sizes;
}

Point optimiser(const std::vector<Convolution>& layers, const Point& training) {
  const Sizes sizes = sizes_of(layers);
  Point point = axes_of_rows(training);
  // Parameters are in fp32 also where an autocast computes in 16 bits.
  if (training.text("precision") != "fp64") point["precision"] = std::string("fp32");
  point["kind"] = std::string("sgd");
  point["parameters"] = sizes.parameters;
  point["tensors"] = sizes.tensors;
  return point;
}

}  // namespace

Workload training_workload(const Point& point) {
  const std::int64_t image = point.integer("image");
  const std::vector<Convolution> layers = convolutions(image);
  Workload workload;
  for (const std::string& name : distinct_convolutions()) {
    Point row = with_gradients(point);
    row["layer"] = name;
    row["layout"] = point.text("layout");
    row["image"] = image;
    row["batch"] = point.integer("batch");
    row["autotune"] = point.text("mode") == "tuned" && point.text("device") == "cuda";
    workload.push_back({"convolutions", "micro/conv2d", row, occurrences(name)});
  }
  for (const Convolution& layer : layers)
    count(workload, {"normalisations", "micro/normalization", normalisation(layer, point), 1});
  add_sums(layers, point, workload);
  workload.push_back({"classifier", "micro/classifier", classifier(point), 1});
  workload.push_back(
      {"optimiser", "micro/optimizer", optimiser(layers, point), 1, StepPhase::update});
  return workload;
}

std::string why_unknown_operations(const Point& point) {
  if (point.text("strategy").starts_with("data_parallel") && point.integer("replicas") > 1)
    return "its batch is shared out among replicas in one process";
  return {};
}

Workload training_communication(const Point& point) {
  if (!point.text("strategy").starts_with("ddp")) return {};
  const Sizes sizes = sizes_of(convolutions(point.integer("image")));
  const std::int64_t element = point.text("precision") == "fp64" ? 8 : 4;
  Workload messages = ddp_messages(sizes.parameters * element);
  if (point.flag("broadcast_buffers")) {
    // Mean and variance of each channel; one number of batches per layer, in a message of its own.
    const std::int64_t layers = (sizes.tensors - 2) / 3, counter = 8;
    for (const std::int64_t bytes : {2 * sizes.channels * element, layers * counter})
      messages.push_back({"buffers", "micro/broadcast", {{"bytes", bytes}}});
  }
  return messages;
}

}  // namespace scalemark::imaging
