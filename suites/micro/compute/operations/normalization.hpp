// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of MobileNetV2, with ReLU6 fused or not, and RMS normalisation of Llama3.
#pragma once

#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {

/// Of axes kind, channels, rows, images, layout and fused. Skips what cannot be fused.
Operation normalization_operation(Case& c, const at::TensorOptions& options);

/// Values, and a weight of each channel; of images a bias, too.
OperationWork normalization_work(const Point& p);

}  // namespace scalemark::micro
