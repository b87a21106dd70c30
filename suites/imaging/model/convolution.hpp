// SPDX-License-Identifier: Apache-2.0
// A convolution with its tensors, in any precision and layout.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "common/core/case.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"

namespace scalemark::imaging {

struct ConvolutionOptions {
  std::int64_t batch = 1;
  bool nhwc = false;
  /// fp64, fp32, tf32 (fp32 in memory), bf16, fp16: what tensors are stored in. Sums of 16-bit
  /// products are LibTorch's business.
  std::string precision = "fp32";
  c10::Device device = c10::Device(c10::kCPU);
};

/// Input, weight and output gradient: reproducible values in [-1, 1) that are numbers of the
/// precision, TF32 included, so that no input is rounded again.
class ConvolutionLayer {
 public:
  ConvolutionLayer(const Convolution& shape, const ConvolutionOptions& options);

  /// Output; `train`: then the gradients of input and weight. What the last run left is given back
  /// first, as a loop over local variables would.
  void run(bool train);
  /// What the last run left, at 64 places of each tensor, against sums of products in double
  /// (convolution_check.hpp).
  Case::Checked check(bool train) const;

  double flops(bool train) const;
  /// Tensors read and written once.
  double bytes(bool train) const;

  const at::Tensor& input() const { return input_; }
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& gradient() const { return output_gradient_; }  ///< of the output

  at::Tensor output, input_gradient, weight_gradient;  ///< of the last run

 private:
  Convolution shape_;
  ConvolutionOptions options_;
  std::int64_t padding_;
  at::Tensor input_, weight_, output_gradient_;
};

/// Why LibTorch does not compute it so on that device, found by trying it on a small image; empty
/// if it does.
std::string why_not(const Convolution& shape, const ConvolutionOptions& options, bool train);

/// While it lives, cuDNN tries its algorithms on each new shape and takes the fastest (LibTorch's
/// benchmark mode), or takes the one that its heuristic names.
class Autotune {
 public:
  explicit Autotune(bool on);
  ~Autotune();
  Autotune(const Autotune&) = delete;
  Autotune& operator=(const Autotune&) = delete;

 private:
  bool before_;
};

}  // namespace scalemark::imaging
