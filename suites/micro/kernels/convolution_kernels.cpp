// SPDX-License-Identifier: Apache-2.0
// Kernels: convolutions of MobileNetV2 in both layouts and the conversion between them, with
// LibTorch on one thread.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "suites/imaging/model/convolution.hpp"
#include "suites/imaging/model/layout_conversion.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

constexpr std::int64_t kConvolutionBatch = 8, kImage = 100, kChannels = 32;

void run_convolution(benchmark::State& state, const std::string& name, bool nhwc) {
  at::set_num_threads(1);
  const imaging::Convolution shape = imaging::convolution(name, kImage);
  constexpr torch_support::Passes forward{.backward = false};
  imaging::ConvolutionLayer layer(shape, {.batch = kConvolutionBatch, .nhwc = nhwc});
  layer.run(forward);  // untimed: the first call generates code for this shape
  for (auto _ : state) layer.run(forward);
  const Case::Checked check = layer.check(forward);
  set_checked(state, check.checked, check.wrong,
              "sampled outputs against sums in double: within 128 unit roundoffs of the sum of "
              "absolute terms");
  set_work(state, {.bytes = layer.bytes(forward),
                   .flops = layer.flops(forward),
                   .items = static_cast<double>(kConvolutionBatch)});
}

void run_to_layout(benchmark::State& state, bool to_nhwc) {
  at::set_num_threads(1);
  imaging::LayoutConversion conversion(
      {.batch = kConvolutionBatch, .channels = kChannels, .size = kImage}, at::kFloat, to_nhwc,
      c10::Device(c10::kCPU));
  for (auto _ : state) conversion.run();
  const Case::Checked check = conversion.check();
  set_checked(state, check.checked, check.wrong, "every element at its place in memory");
  set_work(state, {.bytes = conversion.bytes(), .items = static_cast<double>(kConvolutionBatch)});
}

[[maybe_unused]] const bool kConvolutionAdded = [] {
  for (const char* layer : {"stem", "depthwise2", "expand3"}) {
    for (const bool nhwc : {false, true})
      add("conv2d",
          {{"batch", kConvolutionBatch},
           {"image", kImage},
           {"layer", std::string(layer)},
           {"layout", std::string(nhwc ? "nhwc" : "nchw")}},
          [=](benchmark::State& state) { run_convolution(state, layer, nhwc); });
  }
  for (const bool to_nhwc : {true, false})
    add("to_layout",
        {{"batch", kConvolutionBatch},
         {"channels", kChannels},
         {"image", kImage},
         {"layout", std::string(to_nhwc ? "nhwc" : "nchw")}},
        [=](benchmark::State& state) { run_to_layout(state, to_nhwc); });
  return true;
}();

}  // namespace
}  // namespace scalemark::micro::kernels
