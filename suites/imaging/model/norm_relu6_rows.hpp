// SPDX-License-Identifier: Apache-2.0
// The inner loops of norm_relu6(): rows of channels, compiled for several instruction sets.
#pragma once

#include <cstdint>

namespace scalemark::imaging::norm_rows {

/// Adds x - centre and its square to the sums of each channel.
void add_moments(const float* x, std::int64_t rows, std::int64_t channels, const float* centre,
                 float* sum, float* square);
void add_moments(const double* x, std::int64_t rows, std::int64_t channels, const double* centre,
                 double* sum, double* square);
/// y = min(max(x * scale + shift, 0), 6)
void apply(const float* x, std::int64_t rows, std::int64_t channels, const float* scale,
           const float* shift, float* y);
void apply(const double* x, std::int64_t rows, std::int64_t channels, const double* scale,
           const double* shift, double* y);
/// With g = dy where 0 < x * scale + shift < 6, else 0: adds g and g * (x - centre).
void add_gradients(const float* x, const float* dy, std::int64_t rows, std::int64_t channels,
                   const float* scale, const float* shift, const float* centre, float* sum,
                   float* product);
void add_gradients(const double* x, const double* dy, std::int64_t rows, std::int64_t channels,
                   const double* scale, const double* shift, const double* centre, double* sum,
                   double* product);
/// dx = scale * (g - offset - (x - centre) * slope)
void give_gradients(const float* x, const float* dy, std::int64_t rows, std::int64_t channels,
                    const float* scale, const float* shift, const float* centre,
                    const float* offset, const float* slope, float* dx);
void give_gradients(const double* x, const double* dy, std::int64_t rows, std::int64_t channels,
                    const double* scale, const double* shift, const double* centre,
                    const double* offset, const double* slope, double* dx);

}  // namespace scalemark::imaging::norm_rows
