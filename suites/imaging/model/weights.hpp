// SPDX-License-Identifier: Apache-2.0
// Weights from a safetensors file with torchvision's names.
#pragma once

#include <string>

#include "common/core/case.hpp"
#include "common/torch/files/safetensors.hpp"
#include "suites/imaging/model/mobilenet.hpp"

namespace scalemark::imaging {

/// All parameters and buffers by name, sharing memory with the model.
torch_support::NamedTensors weights_of(const MobileNetV2& model);

/// Copies `weights` into the model, converted to the model's types. Throws InputError, and changes
/// nothing, unless names and shapes match the model exactly (num_batches_tracked may be missing).
/// Errors name `source`.
void set_weights(MobileNetV2& model, const torch_support::NamedTensors& weights,
                 const std::string& source);

/// Sets the initial weights by axis `start`: unchanged for random; else from `--data weights=FILE`.
/// Skips the case if no file is given. Records a hash of the file's tensors as fact `weights`.
void set_start(Case& c, MobileNetV2& model);

}  // namespace scalemark::imaging
