// SPDX-License-Identifier: Apache-2.0
// One convolution of MobileNetV2 on its real shapes, NCHW against NHWC: forward, or with both
// gradients.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/convolution.hpp"

namespace scalemark {
namespace {

void conv2d(Case& c) {
  torch_support::run_body([&] {
    const c10::Device device = torch_support::prepare(c);
    const imaging::Convolution shape = imaging::convolution(c.text("layer"), c.integer("image"));
    imaging::ConvolutionLayer layer(shape, c.integer("batch"), c.text("layout") == "nhwc", device);
    const bool train = c.text("pass") == "train";
    c.verify(
        "sampled outputs and gradients against sums in double, within 1e-5 of the sum of absolute "
        "terms",
        [&] { return layer.check(train); });
    c.work({.bytes = layer.bytes(train),
            .bus_factor = 0,
            .flops = layer.flops(train),
            .precision = "fp32",
            .formula = train ? "6 * multiply-adds / time" : "2 * multiply-adds / time"});
    c.measure(
        [&] {
          layer.run(train);
          c.device().synchronize();
        },
        {.metric = "time", .inner = 0, .barrier = false});
  });
}

std::uint64_t memory(const Params& p) {
  const auto integer = [&](const char* axis) { return std::get<std::int64_t>(p.at(axis)); };
  const imaging::Convolution shape =
      imaging::convolution(std::get<std::string>(p.at("layer")), integer("image"));
  const auto pixels =
      shape.size * shape.size * shape.in + shape.out_size() * shape.out_size() * shape.out;
  return static_cast<std::uint64_t>(pixels * integer("batch")) * 4 *
         4;  // tensors, gradients, scratch
}

SCALEMARK_BENCHMARK("micro/conv2d", conv2d)
    .doc("A convolution of MobileNetV2, NCHW against NHWC: forward, or forward and both gradients")
    .axis("layer", imaging::distinct_convolutions(),
          {"stem", "depthwise2", "expand3", "depthwise8", "project8", "head"})
    .axis("layout", {"nchw", "nhwc"})
    .axis("pass", {"forward", "train"})
    .axis_integer("image", 28, 1024, "100", "100")
    .axis_integer("batch", 1, 4096, "16", "8")
    .compute_axes()
    .ranks(1)
    .rank_local()
    .memory(memory)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark
