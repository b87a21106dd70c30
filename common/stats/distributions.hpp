// SPDX-License-Identifier: Apache-2.0
// Tails and quantiles of Student's t and of the normal distribution. P(T <= t) is that of P(T >
// -t).
#pragma once

namespace scalemark::stats {

/// P(T > t) of Student's t with `df` > 0 degrees of freedom, fractional or infinite (the normal).
double student_t_upper(double t, double df);
/// ln P(T > t), also where the probability is below the smallest double.
double student_t_log_upper(double t, double df);
/// The t with P(T <= t) = p, p in (0, 1).
double student_t_quantile(double p, double df);

/// P(X > x) of the standard normal distribution, its logarithm, and the x with P(X <= x) = p.
double normal_upper(double x);
double normal_log_upper(double x);
double normal_quantile(double p);

}  // namespace scalemark::stats
