// SPDX-License-Identifier: Apache-2.0
// Tail probabilities and quantiles of Student's t and the normal distribution. For P(T <= t) use
// the upper tail at -t.
#pragma once

namespace scalemark::stats {

/// P(T > t) of Student's t with `df` > 0 degrees of freedom; `df` may be fractional or infinite
/// (normal distribution).
double student_t_upper(double t, double df);
/// ln P(T > t), also for probabilities below the smallest double.
double student_t_log_upper(double t, double df);
/// The t with P(T <= t) = p, for p in (0, 1).
double student_t_quantile(double p, double df);

/// Standard normal distribution: P(X > x), its logarithm, and the x with P(X <= x) = p.
double normal_upper(double x);
double normal_log_upper(double x);
double normal_quantile(double p);

}  // namespace scalemark::stats
