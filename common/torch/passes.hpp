// SPDX-License-Identifier: Apache-2.0
// Axis `pass`: which passes of an operation are computed.
#pragma once

#include <string_view>

namespace scalemark::torch_support {

/// The result of an operation, its gradients, or both.
struct Passes {
  bool forward = true, backward = true;

  /// Of what each pass has, such as FLOPs or bytes, the sum of those that are computed.
  double sum(double of_forward, double of_backward) const {
    return (forward ? of_forward : 0) + (backward ? of_backward : 0);
  }
};

/// Of the axis: "forward", "backward", or "train" for both.
inline Passes passes_of(std::string_view pass) {
  return {.forward = pass != "backward", .backward = pass != "forward"};
}

}  // namespace scalemark::torch_support
