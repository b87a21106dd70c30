// SPDX-License-Identifier: Apache-2.0
// One convolution of MobileNetV2 with its real shapes, NCHW against NHWC: forward, or forward and
// both gradients.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/precision.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/model/convolution.hpp"
#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

/// Skips the case if the device does not support this precision and layout.
void require(const Case& c, const imaging::Convolution& shape,
             const imaging::ConvolutionOptions& options, const torch_support::Passes& passes) {
  if (c.flag("autotune") && options.device.is_cpu())
    c.skip("autotune=true needs a GPU: cuDNN tries its algorithms there");
  const std::string lacking = imaging::why_not(shape, options, passes);
  if (!c.all_ranks(lacking.empty()))
    c.skip(lacking.empty() ? "another rank cannot compute in this precision" : lacking);
}

void convolve(Case& c) {
  const imaging::ConvolutionOptions options{.batch = c.integer("batch"),
                                            .nhwc = c.text("layout") == "nhwc",
                                            .precision = c.text("precision"),
                                            .device = torch_support::prepare(c)};
  torch_support::allow_tf32(options.precision == "tf32");
  const imaging::Convolution shape = imaging::convolution(c.text("layer"), c.integer("image"));
  const torch_support::Passes passes = passes_of(c.result().params);
  require(c, shape, options, passes);
  const imaging::Autotune autotune(c.flag("autotune"));
  imaging::ConvolutionLayer layer(shape, options);
  c.verify(
      "sampled outputs and gradients against sums in double: within 128 unit roundoffs of the sum "
      "of absolute terms, in 16 bits plus those of the result and of sums in parts",
      [&] { return layer.check(passes); });
  c.work({.bytes = layer.bytes(passes),
          .moved = layer.bytes(passes),
          .flops = layer.flops(passes),
          .precision = options.precision,
          .formula = "2 * multiply-adds of each product / time"});
  c.fact("occurrences", imaging::occurrences(shape.name));
  time_torch_work(c, [&] { layer.run(passes); },
                  {passes.forward ? layer.input() : layer.gradient()});
}

void conv2d(Case& c) {
  torch_support::run_body([&] { convolve(c); });
}

OperationWork convolution_work(const Point& p) {
  const imaging::Convolution shape = imaging::convolution(p.text("layer"), p.integer("image"));
  const double images = static_cast<double>(p.integer("batch")),
               values =
                   images * static_cast<double>(shape.size * shape.size * shape.in +
                                                shape.out_size() * shape.out_size() * shape.out) +
                   static_cast<double>(shape.out * shape.in / shape.groups * shape.kernel *
                                       shape.kernel);
  // Three products: forward, and the gradients of input and weight.
  const double products = passes_of(p).sum(1, 2);
  return {.flops = products * 2 * images * shape.multiply_adds(),
          .bytes = products * values * element_bytes(p.text("precision"))};
}

/// Device memory: tensors, gradients and workspace.
std::uint64_t memory(const Point& p) {
  const imaging::Convolution shape = imaging::convolution(p.text("layer"), p.integer("image"));
  const auto pixels =
      shape.size * shape.size * shape.in + shape.out_size() * shape.out_size() * shape.out;
  return static_cast<std::uint64_t>(pixels * p.integer("batch")) * 4 *
         c10::elementSize(torch_support::storage_type(p.text("precision")));
}

SCALEMARK_BENCHMARK("micro/conv2d", conv2d)
    .doc("A convolution of MobileNetV2, NCHW against NHWC: forward, or forward and both gradients")
    .axis("layer",
          {.values = imaging::distinct_convolutions(),
           .defaults = {"stem", "depthwise2", "expand3", "depthwise8", "project8", "head"}})
    .axis("layout", {.values = {"nchw", "nhwc"}})
    .axis_integer("image", {.minimum = 28, .maximum = 1024, .defaults = "100", .quick = "100"})
    .axis_integer("batch", {.minimum = 1, .maximum = 4096, .defaults = "16", .quick = "8"})
    .axis("precision",
          {.values = torch_support::precision_names(), .defaults = {"fp32"}, .implied = "fp32"})
    .axis_boolean("autotune", {.defaults = {false}, .implied = false})
    .with(cache_axes)
    .with(pass_axis)
    .compute_axes()
    .ranks(1)
    .rank_local()
    .operation_work(convolution_work)
    .memory(memory)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::micro
