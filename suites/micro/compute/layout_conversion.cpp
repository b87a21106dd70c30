// SPDX-License-Identifier: Apache-2.0
// Conversion of a MobileNetV2 activation from NCHW to NHWC (channels last) or back, into allocated
// memory: Tensor::copy_.
#include "suites/imaging/model/layout_conversion.hpp"

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/precision.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/model/convolution.hpp"
#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

imaging::LayoutConversion::Shape shape_of(const Point& p) {
  const imaging::Convolution layer = imaging::convolution(p.text("layer"), p.integer("image"));
  return {.batch = p.integer("batch"), .channels = layer.in, .size = layer.size};
}

void convert_layout(Case& c) {
  const c10::Device device = torch_support::prepare(c);
  imaging::LayoutConversion conversion(shape_of(c.result().params),
                                       torch_support::storage_type(c.text("precision")),
                                       c.text("direction") == "to_nhwc", device);
  c.verify("every element at its place in memory", [&] { return conversion.check(); });
  c.work({.bytes = conversion.bytes(),
          .formula = "(bytes read + bytes written) / time",
          .carrier = device.is_cpu() ? Carrier::host_memory : Carrier::device_memory});
  time_torch_work(c, [&] { conversion.run(); });
  c.recorder().set_primary("bandwidth");
}

void layout_conversion(Case& c) {
  torch_support::run_body([&] { convert_layout(c); });
}

SCALEMARK_BENCHMARK("micro/layout_conversion", layout_conversion)
    .doc("The input of a convolution of MobileNetV2 from NCHW to NHWC, or back")
    .axis("direction", {.values = {"to_nhwc", "to_nchw"}, .doc = "Layout to convert to"})
    .axis("layer",
          {.values = imaging::distinct_convolutions(),
           .defaults = {"stem", "depthwise2", "expand3", "depthwise8", "project8", "head"}})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"}, .defaults = {"fp32"}})
    .axis_integer("image", {.minimum = 28, .maximum = 1024, .defaults = "100", .quick = "100"})
    .axis_integer("batch", {.minimum = 1, .maximum = 4096, .defaults = "16", .quick = "8"})
    .with(cache_axes)
    .compute_axes()
    .ranks(1)
    .rank_local()
    .memory([](const Point& p) {
      const auto type = torch_support::storage_type(p.text("precision"));
      return 2 * static_cast<std::uint64_t>(shape_of(p).elements()) * c10::elementSize(type);
    })
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::micro
