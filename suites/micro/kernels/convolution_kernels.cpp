// SPDX-License-Identifier: Apache-2.0
// Convolutions of MobileNetV2 in both layouts, and the conversion between the layouts, by LibTorch
// with one thread.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "suites/imaging/convolution.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::kernels {
namespace {

constexpr std::int64_t kBatch = 8, kImage = 100, kChannels = 32;

void run_convolution(benchmark::State& state, const std::string& name, bool nhwc) {
  at::set_num_threads(1);
  const imaging::Convolution shape = imaging::convolution(name, kImage);
  imaging::ConvolutionLayer layer(shape, kBatch, nhwc, c10::Device(c10::kCPU));
  layer.run(false);  // untimed: the first call makes code for this shape
  for (auto _ : state) layer.run(false);
  const Case::Checked check = layer.check(false);
  set_checked(state, check.checked, check.wrong,
              "sampled outputs against sums in double, within 1e-5 of the sum of absolute terms");
  set_work(state, {.bytes = layer.bytes(false),
                   .flops = layer.flops(false),
                   .items = static_cast<double>(kBatch)});
}

/// Small whole numbers that depend on all four indices.
float element(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return static_cast<float>((n * 31 + c * 17 + h * 7 + w) % 1021);
}

/// Elements in memory order, by four loops from the outermost to the innermost.
template <typename Visit>
void for_each_element(bool nhwc, std::int64_t image, const Visit& visit) {
  const std::int64_t outer = nhwc ? image : kChannels, middle = image;
  const std::int64_t inner = nhwc ? kChannels : image;
  for (std::int64_t n = 0; n < kBatch; ++n) {
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t j = 0; j < middle; ++j) {
        for (std::int64_t k = 0; k < inner; ++k)
          visit(nhwc ? element(n, k, i, j) : element(n, i, j, k));
      }
    }
  }
}

void run_to_layout(benchmark::State& state, bool to_nhwc) {
  at::set_num_threads(1);
  const auto format = [](bool nhwc) {
    return nhwc ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  };
  const std::vector<std::int64_t> sizes = {kBatch, kChannels, kImage, kImage};
  const at::Tensor from = at::empty(sizes, at::kFloat, format(!to_nhwc));
  const at::Tensor to = at::full(sizes, -1).to(at::kFloat).contiguous(format(to_nhwc));
  auto* source = from.mutable_data_ptr<float>();
  for_each_element(!to_nhwc, kImage, [&](float value) { *source++ = value; });
  for (auto _ : state) {
    to.copy_(from);
    benchmark::DoNotOptimize(to.data_ptr());
  }
  const auto* place = to.const_data_ptr<float>();
  std::uint64_t wrong = 0;
  for_each_element(to_nhwc, kImage, [&](float value) { wrong += *place++ == value ? 0 : 1; });
  set_checked(state, static_cast<std::uint64_t>(to.numel()), wrong,
              "every element at its place in memory");
  set_work(state,
           {.bytes = 2 * static_cast<double>(to.nbytes()), .items = static_cast<double>(kBatch)});
}

[[maybe_unused]] const bool kAdded = [] {
  for (const char* layer : {"stem", "depthwise2", "expand3"}) {
    for (const bool nhwc : {false, true})
      add("conv2d",
          {{"batch", kBatch},
           {"image", kImage},
           {"layer", std::string(layer)},
           {"layout", std::string(nhwc ? "nhwc" : "nchw")}},
          [=](benchmark::State& state) { run_convolution(state, layer, nhwc); });
  }
  for (const bool to_nhwc : {true, false})
    add("to_layout",
        {{"batch", kBatch},
         {"channels", kChannels},
         {"image", kImage},
         {"layout", std::string(to_nhwc ? "nhwc" : "nchw")}},
        [=](benchmark::State& state) { run_to_layout(state, to_nhwc); });
  return true;
}();

}  // namespace
}  // namespace scalemark::kernels
