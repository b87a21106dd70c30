// SPDX-License-Identifier: Apache-2.0
// Weights of a MobileNetV2 from a file.
#pragma once

#include <string>

#include "common/torch/safetensors.hpp"
#include "suites/imaging/mobilenet.hpp"

namespace scalemark::imaging {

/// Copies tensors with torchvision's names into parameters and buffers, converting their type.
/// `num_batches_tracked` may be missing. Throws InputError that names the tensor if another one is
/// missing or left over, or has another shape; `source` is named in messages.
void load_weights(MobileNetV2& model, const torch_support::NamedTensors& weights,
                  const std::string& source);

}  // namespace scalemark::imaging
