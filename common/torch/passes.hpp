// SPDX-License-Identifier: Apache-2.0
// Axis `pass`: which passes of an operation are computed.
#pragma once

#include <string_view>

namespace scalemark::torch_support {

/// The result of an operation, its gradients, or both.
struct Passes {
  bool forward = true, backward = true;
  bool records = true;  ///< forward keeps what the gradients need

  /// Of what each pass has, such as FLOPs or bytes, the sum of those that are computed.
  double sum(double of_forward, double of_backward) const {
    return (forward ? of_forward : 0) + (backward ? of_backward : 0);
  }
};

/// Of the axis: "forward", as in inference; "forward_train", which keeps what the gradients need;
/// "backward"; or "train" for both of a training.
inline Passes passes_of(std::string_view pass) {
  return {.forward = pass != "backward",
          .backward = pass == "backward" || pass == "train",
          .records = pass != "forward"};
}

}  // namespace scalemark::torch_support
