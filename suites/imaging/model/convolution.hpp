// SPDX-License-Identifier: Apache-2.0
// One convolution with its tensors, in any precision and layout.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "common/core/case.hpp"
#include "common/torch/passes.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"

namespace scalemark::imaging {

struct ConvolutionOptions {
  std::int64_t batch = 1;
  bool nhwc = false;
  /// Storage precision: fp64, fp32, tf32 (fp32 in memory), bf16 or fp16. LibTorch chooses the
  /// precision of the sums of 16-bit products.
  std::string precision = "fp32";
  c10::Device device = c10::Device(c10::kCPU);
};

/// Input, weight and output gradient hold reproducible values in [-1, 1). They are exact in the
/// precision, TF32 included, so inputs are not rounded again.
class ConvolutionLayer {
 public:
  ConvolutionLayer(const Convolution& shape, const ConvolutionOptions& options);

  /// Computes the output, the gradients of input and weight, or both. First frees the results of
  /// the last run, as a loop with local variables would.
  void run(torch_support::Passes passes = {});
  /// Compares the results of the last run at 64 positions per tensor with sums of products in
  /// double (convolution_check.hpp).
  Case::Checked check(torch_support::Passes passes) const;

  double flops(torch_support::Passes passes) const;
  /// Bytes of all tensors, each read or written once.
  double bytes(torch_support::Passes passes) const;

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

/// Reason why LibTorch cannot compute the convolution on that device, found by a trial on a small
/// image; empty if it can.
std::string why_not(const Convolution& shape, const ConvolutionOptions& options,
                    torch_support::Passes passes);

/// While an object exists: with `on`, cuDNN tries its algorithms for each new shape and uses the
/// fastest (LibTorch's benchmark mode). Otherwise it uses its heuristic.
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
