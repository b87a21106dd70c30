// SPDX-License-Identifier: Apache-2.0
// The special functions that the tests need, on Boost.Math.
#pragma once

namespace scalemark::stats {

/// P(T > t) of Student's t with `df` > 0 degrees of freedom, fractional or infinite (the normal).
double student_t_upper(double t, double df);

/// The t with P(T <= t) = p, p in (0, 1).
double student_t_quantile(double p, double df);

/// psi(x), x > 0.
double digamma(double x);
/// psi'(x), x > 0.
double trigamma(double x);
/// The x > 0 with psi'(x) = y, y > 0: Newton's method of Smyth (2004), appendix.
double trigamma_inverse(double y);

}  // namespace scalemark::stats
