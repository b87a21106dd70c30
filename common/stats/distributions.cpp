// SPDX-License-Identifier: Apache-2.0
// Tail probabilities of Student's t from the incomplete beta function.
#include "common/stats/distributions.hpp"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/erf.hpp>

#include "common/stats/limits.hpp"
#include "common/stats/policy.hpp"
#include "common/stats/special.hpp"

namespace scalemark::stats {
namespace {

/// Smaller probabilities are computed as logarithms by other formulas.
constexpr double kMinProbability = 1e-290;
constexpr double kSqrt2 = 1.4142135623730951;
constexpr double kHalfLogTwoPi = 0.9189385332046727;

/// ln(1 - p) of the complement's probability p.
double log_of_complement(double probability) { return std::log1p(-probability); }

}  // namespace

double normal_upper(double x) { return 0.5 * std::erfc(x / kSqrt2); }

double normal_log_upper(double x) {
  if (x < 0) return log_of_complement(normal_upper(-x));
  const double probability = normal_upper(x);
  if (!(probability < kMinProbability)) return std::log(probability);
  // Continued fraction of Mills' ratio. Here x is above 30, so a few terms are enough.
  double mills = x;
  for (int term = 30; term > 0; --term) mills = x + term / mills;
  return -0.5 * x * x - kHalfLogTwoPi - std::log(mills);
}

double normal_quantile(double p) { return -kSqrt2 * boost::math::erfc_inv(2 * p, Policy()); }

double student_t_upper(double t, double df) {
  if (std::isnan(t) || std::isnan(df) || df <= 0) return kNan;
  if (std::isinf(df)) return normal_upper(t);
  if (t < 0) return 1 - student_t_upper(-t, df);
  if (std::isinf(t)) return 0;
  // P(T > t) = I_x(df/2, 1/2) / 2 with x = df / (df + t^2). For small t, x is close to 1 and loses
  // digits of t; y = 1 - x, computed directly, keeps them.
  const double square = t * t;
  if (square < df) {
    const double y = square / (df + square);
    const double inside = beta_inc(0.5, df / 2, y);
    // For df = 1, Boost 1.74 computes the complement from 1 - y. It is needed only in the tail.
    return inside < 0.5 ? 0.5 - inside / 2 : 0.5 * beta_inc_complement(0.5, df / 2, y);
  }
  return 0.5 * beta_inc(df / 2, 0.5, df / (df + square));
}

double student_t_log_upper(double t, double df) {
  if (std::isinf(df) && df > 0) return normal_log_upper(t);
  if (t < 0) return log_of_complement(student_t_upper(-t, df));
  const double probability = student_t_upper(t, df);
  if (!(probability < kMinProbability) || std::isinf(t)) return std::log(probability);
  return log_beta_tail(df / 2, 0.5, t * (t / df)) - std::log(2.0);
}

double student_t_quantile(double p, double df) {
  if (std::isinf(df)) return normal_quantile(p);
  return boost::math::quantile(boost::math::students_t_distribution<double, Policy>(df), p);
}

}  // namespace scalemark::stats
