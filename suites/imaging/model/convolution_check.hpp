// SPDX-License-Identifier: Apache-2.0
// What a convolution should give, by loops in double, and how far a precision may be from it.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "common/core/case.hpp"

namespace scalemark::imaging {

/// A sum of products, the sum of their sizes, and that of their squares.
struct ProductSum {
  double value = 0, size = 0, squares = 0;
  void add(double a, double b);
};

/// How far a result may be from `sum`:
/// summation * sum.size + rounding * (|sum.value| + partial * sqrt(sum.squares)).
struct ConvolutionTolerance {
  double summation = 0, rounding = 0, partial = 0;
  bool holds(double result, const ProductSum& sum) const;
};

/// Inputs are numbers of the precision, and two significands of TF32, fp16 (11 bits) or bf16 (8)
/// multiply to one that fp32 holds. So only sums and results round.
/// - Sums, kept in fp32 (unit roundoff u = 2^-24) or, for fp64, in double (2^-53). In any order the
///   error is at most n u times the sum of the terms' sizes for n terms (Higham, Accuracy and
///   Stability of Numerical Algorithms, 2nd ed., section 4.2). For terms that are independent with
///   mean zero, as these are, it is a small multiple of u whatever n is (Higham and Mary, Sharper
///   probabilistic backward error analysis for basic linear algebra kernels with random data, SIAM
///   J. Sci. Comput. 42, 2020). 128 u leaves room for kernels that transform their input
///   (Winograd), and is the bound itself for up to 128 terms.
/// - Results of 16 bits, by u = 2^-8 (bf16) or 2^-11 (fp16) of their value. Where a device has no
///   such kernels LibTorch adds up parts in that type, too: the kernel's 9 places, or the gradients
///   of a weight image by image. Each of these sums is, at four standard deviations, below
///   4 sqrt(sum.squares), and so many roundings, independent, add up to sqrt(parts) of one. A value
///   that has nothing to do with the right one is away by about sqrt(sum.squares).
ConvolutionTolerance convolution_tolerance(const std::string& precision, std::int64_t batch);

/// The tensors of a convolution of one type, on the host, and its geometry: in = out * stride + k -
/// padding.
struct ConvolutionReference {
  at::Tensor input, weight, output_gradient;
  std::int64_t stride = 1, padding = 0, groups = 1;
};

/// Which of its results.
enum class ConvolutionResult { output, input_gradient, weight_gradient };

/// Compares `result` with sums in double at 64 places (all, if there are fewer) spread over it.
Case::Checked check_convolution(const ConvolutionReference& reference, ConvolutionResult which,
                                const at::Tensor& result, const ConvolutionTolerance& tolerance);

}  // namespace scalemark::imaging
