// SPDX-License-Identifier: Apache-2.0
// Incomplete beta function and gamma functions, from Boost.Math. Invalid arguments give NaN.
#pragma once

namespace scalemark::stats {

/// I_x(a, b), the regularised incomplete beta function; a, b > 0, x in [0, 1].
double beta_inc(double a, double b, double x);
/// 1 - I_x(a, b), accurate also where it is small.
double beta_inc_complement(double a, double b, double x);
/// ln I_x(a, b) with x = 1 / (1 + odds), for tails below the smallest double. x must be well below
/// the mean a / (a + b).
double log_beta_tail(double a, double b, double odds);

/// The x with P(X <= x) = p of the chi-square distribution with `df` > 0 degrees of freedom; p in
/// (0, 1).
double chi_square_quantile(double p, double df);

/// ln Gamma(x), x > 0.
double log_gamma(double x);
/// psi(x), x > 0.
double digamma(double x);
/// psi'(x), x > 0.
double trigamma(double x);
/// The x > 0 with psi'(x) = y, y > 0, by Newton's method (Smyth 2004, appendix).
double trigamma_inverse(double y);

}  // namespace scalemark::stats
