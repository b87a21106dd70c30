// SPDX-License-Identifier: Apache-2.0
// SwiGLU and rotary positions of single numbers: what kernels on GPUs compute for each element.
#pragma once

#include <cmath>

#include "suites/llm/quant/narrow.hpp"

namespace scalemark::llm {

/// silu(gate) * up, with silu(x) = x * sigmoid(x); rounded once.
template <typename Real>
SCALEMARK_INLINE Real swiglu_of(Real gate, Real up) {
  return gate / (1 + std::exp(-gate)) * up;
}

/// Gradients of swiglu_of(), times `dy`.
template <typename Real>
struct SwigluGradient {
  Real gate, up;
};
template <typename Real>
SCALEMARK_INLINE SwigluGradient<Real> swiglu_gradient_of(Real dy, Real gate, Real up) {
  const Real sigmoid = 1 / (1 + std::exp(-gate));
  return {dy * up * sigmoid * (1 + gate * (1 - sigmoid)), dy * gate * sigmoid};
}

/// A pair as a complex number, turned by an angle.
template <typename Real>
struct Pair {
  Real real, imaginary;
};
template <typename Real>
SCALEMARK_INLINE Pair<Real> rotated(const Pair<Real>& x, Real cosine, Real sine) {
  return {x.real * cosine - x.imaginary * sine, x.real * sine + x.imaginary * cosine};
}

}  // namespace scalemark::llm
