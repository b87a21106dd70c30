// SPDX-License-Identifier: Apache-2.0
// Reference results of a convolution by loops in double, and error bounds per precision.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "common/core/case.hpp"

namespace scalemark::imaging {

/// A sum of products, the sum of their absolute values, and the sum of their squares.
struct ProductSum {
  double value = 0, size = 0, squares = 0;
  void add(double a, double b);
};

/// Bound of the difference between a result and `sum`:
/// summation * sum.size + rounding * (|sum.value| + partial * sqrt(sum.squares)).
struct ConvolutionTolerance {
  double summation = 0, rounding = 0, partial = 0;
  bool holds(double result, const ProductSum& sum) const;
};

/// Inputs are exact in the precision. fp32 holds the product of two significands of TF32, fp16 (11
/// bits) or bf16 (8 bits) exactly. So only sums and results are rounded.
/// - Sums are kept in fp32 (unit roundoff u = 2^-24) or, for fp64, in double (2^-53). In any order
///   the error for n terms is at most n u times the sum of the terms' absolute values (Higham,
///   Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2). For independent terms
///   with mean zero, as here, it is a small multiple of u for any n (Higham and Mary, Sharper
///   probabilistic backward error analysis for basic linear algebra kernels with random data, SIAM
///   J. Sci. Comput. 42, 2020). 128 u is the strict bound for up to 128 terms. It also leaves room
///   for kernels that transform their input (Winograd).
/// - 16-bit results are rounded by u = 2^-8 (bf16) or 2^-11 (fp16) of their value. On devices
///   without such kernels LibTorch also keeps partial sums in that type: over the kernel's 9
///   positions, or over the images for weight gradients. Each partial sum is below 4
///   sqrt(sum.squares), that is four standard deviations. Their roundings are independent, so
///   together they amount to sqrt(parts) times one of them. An unrelated value differs from the
///   right one by about sqrt(sum.squares).
ConvolutionTolerance convolution_tolerance(const std::string& precision, std::int64_t batch);

/// Host tensors of a convolution, all of one type, and its geometry:
/// in = out * stride + k - padding.
struct ConvolutionReference {
  at::Tensor input, weight, output_gradient;
  std::int64_t stride = 1, padding = 0, groups = 1;
};

/// Which result of the convolution.
enum class ConvolutionResult { output, input_gradient, weight_gradient };

/// Compares `result` with sums in double at 64 positions spread over it (at all, if there are
/// fewer).
Case::Checked check_convolution(const ConvolutionReference& reference, ConvolutionResult which,
                                const at::Tensor& result, const ConvolutionTolerance& tolerance);

}  // namespace scalemark::imaging
