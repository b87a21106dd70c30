// SPDX-License-Identifier: Apache-2.0
// In a build without LibTorch: the benchmark that needs it, as a row that says so.
#include "common/core/benchmark.hpp"

namespace scalemark::imaging {
namespace {

void train(Case&) {}

SCALEMARK_BENCHMARK("imaging/train", train)
    .doc(
        "Training of MobileNetV2 on up-sampled MNIST: step time, images per second, loss, accuracy")
    .unavailable("built without LibTorch");

}  // namespace
}  // namespace scalemark::imaging
