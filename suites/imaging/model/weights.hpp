// SPDX-License-Identifier: Apache-2.0
// Weights from outside: torchvision's names, as safetensors.
#pragma once

#include <string>

#include "common/core/case.hpp"
#include "common/torch/files/safetensors.hpp"
#include "suites/imaging/model/mobilenet.hpp"

namespace scalemark::imaging {

/// All parameters and buffers by their names, sharing memory with the model.
torch_support::NamedTensors weights_of(const MobileNetV2& model);

/// Copies `weights` into the model, in the model's types. Throws InputError, and changes nothing,
/// unless they are exactly the model's names and shapes (num_batches_tracked may be lacking).
/// `source` is named in messages.
void set_weights(MobileNetV2& model, const torch_support::NamedTensors& weights,
                 const std::string& source);

/// What the axis `start` names: nothing to do for random; the file of `--data weights=FILE` else.
/// Skips the case where that is not given. Records a hash of the file's tensors as fact `weights`.
void set_start(Case& c, MobileNetV2& model);

}  // namespace scalemark::imaging
