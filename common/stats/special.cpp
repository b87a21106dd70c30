// SPDX-License-Identifier: Apache-2.0
// Special functions. Errors give NaN instead of exceptions.
#include "common/stats/special.hpp"

#include <cmath>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "common/stats/limits.hpp"
#include "common/stats/policy.hpp"

namespace scalemark::stats {
namespace {

/// Continued fraction of I_x(a, b) a B(a, b) / (x^a (1 - x)^b) (DLMF 8.17.22), by Lentz's method.
/// It converges fast if x is below the mean.
double beta_fraction(double a, double b, double x) {
  constexpr int kMaxTerms = 100000;
  constexpr double kTiny = 1e-300, kEnough = 1e-16;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return value;
}

bool is_beta(double a, double b, double x) { return a > 0 && b > 0 && x >= 0 && x <= 1; }

}  // namespace

double beta_inc(double a, double b, double x) {
  return is_beta(a, b, x) ? boost::math::ibeta(a, b, x, Policy()) : kNan;
}

double beta_inc_complement(double a, double b, double x) {
  return is_beta(a, b, x) ? boost::math::ibetac(a, b, x, Policy()) : kNan;
}

double log_beta_tail(double a, double b, double odds) {
  const double x = 1 / (1 + odds);
  // ln B(a, b) from a ratio of gamma functions: a sum of three large log-gammas would lose digits.
  const double log_beta = log_gamma(b) + std::log(boost::math::tgamma_delta_ratio(a, b, Policy()));
  return -a * std::log1p(odds) + b * (std::log(odds) - std::log1p(odds)) - std::log(a) - log_beta +
         std::log(beta_fraction(a, b, x));
}

double chi_square_quantile(double p, double df) {
  return df > 0 && p > 0 && p < 1 ? 2 * boost::math::gamma_p_inv(df / 2, p, Policy()) : kNan;
}

double log_gamma(double x) { return x > 0 ? boost::math::lgamma(x, Policy()) : kNan; }

double digamma(double x) { return boost::math::digamma(x, Policy()); }

double trigamma(double x) { return boost::math::trigamma(x, Policy()); }

double trigamma_inverse(double y) {
  double x = 0.5 + 1 / y;
  for (int step = 0; step < 100; ++step) {
    const double value = trigamma(x);
    const double change = value * (1 - value / y) / boost::math::polygamma(2, x, Policy());
    x += change;
    if (std::abs(change) <= 1e-15 * x) break;
  }
  return x;
}

}  // namespace scalemark::stats
