// SPDX-License-Identifier: Apache-2.0
// Inner loops of norm_relu6(). The compiler generates a version for each x86-64 vector extension;
// the dynamic loader selects one at program start.
#include "suites/imaging/model/norm_relu6_rows.hpp"

#include <algorithm>

#include "common/base/clones.hpp"

namespace scalemark::imaging::norm_rows {
namespace {

/// The gradient through ReLU6 at z.
template <typename T>
SCALEMARK_INLINE T gated(T z, T gradient) {
  return z > T(0) && z < T(6) ? gradient : T(0);
}

template <typename T>
SCALEMARK_INLINE void add_moments_loop(const T* x, std::int64_t rows, std::int64_t channels,
                                       const T* centre, T* __restrict sum, T* __restrict square) {
  for (std::int64_t r = 0; r < rows; ++r, x += channels) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const T d = x[c] - centre[c];
      sum[c] += d;
      square[c] += d * d;
    }
  }
}

template <typename T>
SCALEMARK_INLINE void apply_loop(const T* x, std::int64_t rows, std::int64_t channels,
                                 const T* scale, const T* shift, T* __restrict y) {
  for (std::int64_t r = 0; r < rows; ++r, x += channels, y += channels) {
    for (std::int64_t c = 0; c < channels; ++c)
      y[c] = std::min(std::max(x[c] * scale[c] + shift[c], T(0)), T(6));
  }
}

template <typename T>
SCALEMARK_INLINE void add_gradients_loop(const T* x, const T* dy, std::int64_t rows,
                                         std::int64_t channels, const T* scale, const T* shift,
                                         const T* centre, T* __restrict sum,
                                         T* __restrict product) {
  for (std::int64_t r = 0; r < rows; ++r, x += channels, dy += channels) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const T g = gated(x[c] * scale[c] + shift[c], dy[c]);
      sum[c] += g;
      product[c] += g * (x[c] - centre[c]);
    }
  }
}

template <typename T>
SCALEMARK_INLINE void give_gradients_loop(const T* x, const T* dy, std::int64_t rows,
                                          std::int64_t channels, const T* scale, const T* shift,
                                          const T* centre, const T* offset, const T* slope,
                                          T* __restrict dx) {
  for (std::int64_t r = 0; r < rows; ++r, x += channels, dy += channels, dx += channels) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const T g = gated(x[c] * scale[c] + shift[c], dy[c]);
      dx[c] = scale[c] * (g - offset[c] - (x[c] - centre[c]) * slope[c]);
    }
  }
}

}  // namespace

SCALEMARK_CLONES void add_moments(const float* x, std::int64_t rows, std::int64_t channels,
                                  const float* centre, float* sum, float* square) {
  add_moments_loop(x, rows, channels, centre, sum, square);
}

SCALEMARK_CLONES void add_moments(const double* x, std::int64_t rows, std::int64_t channels,
                                  const double* centre, double* sum, double* square) {
  add_moments_loop(x, rows, channels, centre, sum, square);
}

SCALEMARK_CLONES void apply(const float* x, std::int64_t rows, std::int64_t channels,
                            const float* scale, const float* shift, float* y) {
  apply_loop(x, rows, channels, scale, shift, y);
}

SCALEMARK_CLONES void apply(const double* x, std::int64_t rows, std::int64_t channels,
                            const double* scale, const double* shift, double* y) {
  apply_loop(x, rows, channels, scale, shift, y);
}

SCALEMARK_CLONES void add_gradients(const float* x, const float* dy, std::int64_t rows,
                                    std::int64_t channels, const float* scale, const float* shift,
                                    const float* centre, float* sum, float* product) {
  add_gradients_loop(x, dy, rows, channels, scale, shift, centre, sum, product);
}

SCALEMARK_CLONES void add_gradients(const double* x, const double* dy, std::int64_t rows,
                                    std::int64_t channels, const double* scale, const double* shift,
                                    const double* centre, double* sum, double* product) {
  add_gradients_loop(x, dy, rows, channels, scale, shift, centre, sum, product);
}

SCALEMARK_CLONES void give_gradients(const float* x, const float* dy, std::int64_t rows,
                                     std::int64_t channels, const float* scale, const float* shift,
                                     const float* centre, const float* offset, const float* slope,
                                     float* dx) {
  give_gradients_loop(x, dy, rows, channels, scale, shift, centre, offset, slope, dx);
}

SCALEMARK_CLONES void give_gradients(const double* x, const double* dy, std::int64_t rows,
                                     std::int64_t channels, const double* scale,
                                     const double* shift, const double* centre,
                                     const double* offset, const double* slope, double* dx) {
  give_gradients_loop(x, dy, rows, channels, scale, shift, centre, offset, slope, dx);
}

}  // namespace scalemark::imaging::norm_rows
