// SPDX-License-Identifier: Apache-2.0
// Conversion of a MobileNetV2 activation from NCHW to NHWC (channels last) or back, into allocated
// memory: Tensor::copy_.
#include "suites/imaging/model/layout_conversion.hpp"

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/precision.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/model/convolution.hpp"

namespace scalemark::micro {
namespace {

imaging::LayoutConversion::Shape shape_of(const Params& p) {
  const auto integer = [&](const char* axis) { return std::get<std::int64_t>(p.at(axis)); };
  const imaging::Convolution layer =
      imaging::convolution(std::get<std::string>(p.at("layer")), integer("image"));
  return {.batch = integer("batch"), .channels = layer.in, .size = layer.size};
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
  c.measure(
      [&] {
        conversion.run();
        c.device().synchronize();
      },
      {.metric = "time", .inner = 0, .barrier = false});
  c.recorder().set_primary("bandwidth");
}

void layout_conversion(Case& c) {
  torch_support::run_body([&] { convert_layout(c); });
}

SCALEMARK_BENCHMARK("micro/layout_conversion", layout_conversion)
    .doc("The input of a convolution of MobileNetV2 from NCHW to NHWC, or back")
    .axis("direction", {"to_nhwc", "to_nchw"})
    .axis("layer", imaging::distinct_convolutions(),
          {"stem", "depthwise2", "expand3", "depthwise8", "project8", "head"})
    .axis("precision", {"fp64", "fp32", "bf16", "fp16"}, {"fp32"})
    .axis_integer("image", 28, 1024, "100", "100")
    .axis_integer("batch", 1, 4096, "16", "8")
    .compute_axes()
    .ranks(1)
    .rank_local()
    .memory([](const Params& p) {
      const auto type = torch_support::storage_type(std::get<std::string>(p.at("precision")));
      return 2 * static_cast<std::uint64_t>(shape_of(p).elements()) * c10::elementSize(type);
    })
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::micro
