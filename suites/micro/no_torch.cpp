// SPDX-License-Identifier: Apache-2.0
// Build without LibTorch: lists the benchmarks that need it as unavailable.
#include "common/core/benchmark.hpp"

namespace scalemark::micro {
namespace {

constexpr const char* kReason = "built without LibTorch";

void attention(Case&) {}
void conv2d(Case&) {}
void cross_entropy(Case&) {}
void elementwise(Case&) {}
void embedding(Case&) {}
void layout_conversion(Case&) {}
void lora_step(Case&) {}
void normalization(Case&) {}
void optimizer(Case&) {}
void quantized_linear(Case&) {}

SCALEMARK_BENCHMARK("micro/attention", attention)
    .doc("Causal attention of a Llama3 layer with grouped heads")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/conv2d", conv2d)
    .doc("Convolutions of MobileNetV2, NCHW against NHWC")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/cross_entropy", cross_entropy)
    .doc("Cross-entropy of tokens over a vocabulary")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/elementwise", elementwise)
    .doc("Elementwise operations of a Llama3 layer")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/embedding", embedding).doc("Embeddings of tokens").unavailable(kReason);
SCALEMARK_BENCHMARK("micro/layout_conversion", layout_conversion)
    .doc("The input of a convolution of MobileNetV2 from NCHW to NHWC, or back")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/lora_step", lora_step)
    .doc("Training step of a Llama3 layer with LoRA")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/normalization", normalization)
    .doc("Batch normalisation of images or RMS normalisation of tokens")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/optimizer", optimizer)
    .doc("One step of SGD with momentum or of AdamW")
    .unavailable(kReason);
SCALEMARK_BENCHMARK("micro/quantized_linear", quantized_linear)
    .doc("A linear layer of Llama3 as QLoRA and QAT compute it")
    .unavailable(kReason);

}  // namespace
}  // namespace scalemark::micro
