// SPDX-License-Identifier: Apache-2.0
// From the convolutions of MobileNetV2 to the rows that measure them.
#include "suites/imaging/model/workload.hpp"

#include <algorithm>
#include <string>

#include "common/core/operation_rows.hpp"
#include "common/torch/precision.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"

namespace scalemark::imaging {
namespace {

/// Axes of the row of an operation that has none in TF32, which is for products.
Point without_tf32(const Point& training) {
  Point point = axes_of_rows(training);
  if (training.text("precision") == "tf32") point["precision"] = std::string("fp32");
  return point;
}

bool has_relu6(const Convolution& layer) { return !layer.name.starts_with("project"); }

/// Whether a normalisation is in one kernel with its ReLU6 (can_fuse_norm_relu6).
bool is_fused(const Convolution& layer, const Point& training) {
  const std::string precision = training.text("precision");
  return has_relu6(layer) && training.text("mode") == "tuned" && training.text("device") == "cpu" &&
         training.text("layout") == "nhwc" && (precision == "fp32" || precision == "fp64");
}

/// Batch normalisation behind a convolution.
Point normalisation(const Convolution& layer, const Point& training) {
  const std::int64_t batch = training.integer("batch"), size = layer.out_size();
  Point point = without_tf32(training);
  point["kind"] = std::string(has_relu6(layer) ? "batch_relu6" : "batch");
  point["channels"] = layer.out;
  point["rows"] = batch * size * size;
  point["images"] = batch;
  point["layout"] = training.text("layout");
  point["fused"] = is_fused(layer, training);
  return point;
}

/// Bytes that the operations of a step keep for their gradients: results of convolutions and
/// normalisations, and what a ReLU6 of its own in place has overwritten. Between two uses of an
/// operand a step uses other memory: forward as much as the layers before it keep, since the step
/// before has used it last; backward as much as those behind it keep.
class KeptMemory {
 public:
  KeptMemory(const std::vector<Convolution>& layers, const Point& training) {
    const auto element = static_cast<std::int64_t>(
        c10::elementSize(torch_support::storage_type(training.text("precision"))));
    for (const Convolution& layer : layers) {
      const std::int64_t tensors = has_relu6(layer) && !is_fused(layer, training) ? 3 : 2,
                         values = layer.out * layer.out_size() * layer.out_size();
      before_.push_back(before_.back() + tensors * values * element * training.integer("batch"));
    }
  }

  /// Distances of layer `i` of all, and of what has been used just before.
  std::int64_t forward(std::size_t i) const { return middle_of_quarter(before_[i]); }
  std::int64_t backward(std::size_t i) const { return middle_of_quarter(all() - before_[i + 1]); }
  std::int64_t recent() const { return middle_of_quarter(0); }
  std::int64_t average() const { return all() / 2; }

 private:
  std::int64_t all() const { return before_.back(); }
  /// So that layers share rows.
  std::int64_t middle_of_quarter(std::int64_t bytes) const {
    const std::int64_t quarter = std::min<std::int64_t>(4 * bytes / all(), 3);
    return (2 * quarter + 1) * all() / 8;
  }

  std::vector<std::int64_t> before_{0};
};

/// A sum of tensors of so many elements.
Point sum_of(std::int64_t elements, const Point& training) {
  Point row = sum_of_elements(without_tf32(training), "add", elements);
  row["pass"] = std::string("forward");
  return row;
}

/// Residual sums, the sums of the gradients of what they have twice, and what counts the batches of
/// each normalisation.
void add_sums(const std::vector<Convolution>& layers, const Point& training, const KeptMemory& kept,
              OperationRows& operations) {
  for (const char* component : {"residual sums", "sums of gradients"}) {
    for (const Convolution& layer : with_residual_sum(layers)) {
      const std::int64_t size = layer.out_size(),
                         elements = training.integer("batch") * layer.out * size * size;
      operations.add({component, "micro/elementwise", sum_of(elements, training)}, kept.recent());
    }
  }
  operations.add({"batch counters", "micro/elementwise", sum_of(1, training), std::ssize(layers)},
                 kept.average());
}

Point convolution_row(const Convolution& layer, const Point& training) {
  Point row = axes_of_rows(training);
  row["layer"] = distinct_convolution(layer.name);
  row["layout"] = training.text("layout");
  row["image"] = training.integer("image");
  row["batch"] = training.integer("batch");
  row["autotune"] = training.text("mode") == "tuned" && training.text("device") == "cuda";
  return row;
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
  const std::vector<Convolution> layers = convolutions(point.integer("image"));
  const KeptMemory kept(layers, point);
  OperationRows operations(point);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    operations.add_passes({"convolutions", "micro/conv2d", convolution_row(layers[i], point)},
                          kept.forward(i), kept.backward(i));
    operations.add_passes(
        {"normalisations", "micro/normalization", normalisation(layers[i], point)}, kept.forward(i),
        kept.backward(i));
  }
  add_sums(layers, point, kept, operations);
  operations.add_passes({"classifier", "micro/classifier", classifier(point)},
                        kept.forward(layers.size()), kept.recent());
  operations.add({"optimiser", "micro/optimizer", optimiser(layers, point), 1, StepPhase::update},
                 kept.average());
  return operations.take();
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
