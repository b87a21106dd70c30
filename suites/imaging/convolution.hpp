// SPDX-License-Identifier: Apache-2.0
// A convolution with its tensors, and a plain reference for it.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "common/core/case.hpp"
#include "suites/imaging/mobilenet_shape.hpp"

namespace scalemark::imaging {

/// Input, weight and output gradient, in single precision, of reproducible values in [-1, 1).
class ConvolutionLayer {
 public:
  ConvolutionLayer(const Convolution& shape, std::int64_t batch, bool nhwc, c10::Device device);

  /// Output; `train`: then the gradients of input and weight.
  void run(bool train);
  /// What the last run left, at 64 places of each tensor, against loops in double.
  Case::Checked check(bool train) const;

  double flops(bool train) const;
  /// Tensors read and written once.
  double bytes(bool train) const;

  at::Tensor output, input_gradient, weight_gradient;  ///< of the last run

 private:
  Convolution shape_;
  std::int64_t batch_, padding_;
  at::Tensor input_, weight_, output_gradient_;
};

}  // namespace scalemark::imaging
