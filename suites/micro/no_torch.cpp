// SPDX-License-Identifier: Apache-2.0
// Build without LibTorch: lists the benchmarks that need it as unavailable.
#include "common/core/benchmark.hpp"

namespace scalemark::micro {
namespace {

constexpr const char* kReason = "built without LibTorch";

void conv2d(Case&) {}
void layout_conversion(Case&) {}
void lora_step(Case&) {}

SCALEMARK_BENCHMARK("micro/conv2d", conv2d)
    .doc("Convolutions of MobileNetV2, NCHW against NHWC")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/layout_conversion", layout_conversion)
    .doc("The input of a convolution of MobileNetV2 from NCHW to NHWC, or back")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/lora_step", lora_step)
    .doc("Training step of a Llama3 layer with LoRA")
    .unavailable(kReason);

}  // namespace
}  // namespace scalemark::micro
