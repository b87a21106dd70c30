// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of MobileNetV2, with ReLU6 fused or not, and RMS normalisation of Llama3.
#include "suites/micro/compute/operations/normalization.hpp"

#include "common/core/benchmark.hpp"

namespace scalemark::micro {
namespace {

constexpr std::int64_t kImages = 16;  ///< where the axis is not named

void normalization(Case& c) { run_operation(c, normalization_operation, normalization_work); }

bool is_normalization_sensible(const Point& p) {
  // Tokens are of no image.
  if (p.text("kind") == "rms")
    return p.text("layout") == "nhwc" && p.integer("images") == kImages && !p.flag("fused");
  if (p.flag("fused") && p.text("kind") != "batch_relu6") return false;
  return p.integer("rows") % p.integer("images") == 0;
}

SCALEMARK_BENCHMARK("micro/normalization", normalization)
    .doc("Batch normalisation of images or RMS normalisation of tokens, with its gradients or not")
    .axis("kind",
          {.values = {"batch", "batch_relu6", "rms"},
           .doc = "Over each channel (batch, with ReLU6 behind it or not), or over each row"})
    .axis_integer("channels", {.minimum = 1,
                               .maximum = 1 << 16,
                               .defaults = "96,2048",
                               .quick = "96",
                               .doc = "Channels of an image, or elements of a token",
                               .unit = "{element}"})
    .axis_integer("rows", {.minimum = 1,
                           .maximum = 1 << 24,
                           .defaults = "4096,40000",
                           .quick = "4096",
                           .doc = "Pixels of all images together, or tokens",
                           .unit = "{row}"})
    .axis_integer("images", {.minimum = 1,
                             .maximum = 4096,
                             .defaults = "16",
                             .implied = kImages,
                             .doc = "Images to which the rows belong: the order in layout nchw"})
    .axis("layout", {.values = {"nhwc", "nchw"}, .implied = "nhwc"})
    .axis_boolean("fused", {.defaults = {false},
                            .implied = false,
                            .doc = "One kernel of the suite's own, as mode=tuned trains with it"})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"}, .defaults = {"fp32"}})
    .with(operation_axes)
    .where(is_normalization_sensible)
    .operation_work(normalization_work)
    .memory([](const Point& p) {
      return operation_memory(3.0 * static_cast<double>(p.integer("rows") * p.integer("channels")),
                              p.text("precision"));
    });

}  // namespace
}  // namespace scalemark::micro
