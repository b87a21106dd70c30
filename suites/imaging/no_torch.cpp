// SPDX-License-Identifier: Apache-2.0
// Build without LibTorch: lists the benchmarks that need it as unavailable.
#include "common/core/benchmark.hpp"

namespace scalemark::imaging {
namespace {

void train(Case&) {}
void loader(Case&) {}

SCALEMARK_BENCHMARK("imaging/train", train)
    .doc(
        "Training of MobileNetV2 on up-sampled MNIST: step time, images per second, loss, accuracy")
    .unavailable("built without LibTorch");

SCALEMARK_BENCHMARK("imaging/loader", loader)
    .doc("Batches of up-sampled MNIST prepared and sent to the device, without a model")
    .unavailable("built without LibTorch");

}  // namespace
}  // namespace scalemark::imaging
