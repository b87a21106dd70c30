// SPDX-License-Identifier: Apache-2.0
// Special functions; errors come back as NaN, never as exceptions.
#include "common/stats/special.hpp"

#include <cmath>
#include <limits>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace scalemark::stats {
namespace {

namespace bmp = boost::math::policies;
/// Plain double arithmetic, and no exceptions: a test without numbers is NaN.
using Policy =
    bmp::policy<bmp::domain_error<bmp::ignore_error>, bmp::pole_error<bmp::ignore_error>,
                bmp::overflow_error<bmp::ignore_error>, bmp::evaluation_error<bmp::ignore_error>>;

}  // namespace

double student_t_upper(double t, double df) {
  if (std::isnan(t) || std::isnan(df) || df <= 0) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(df)) return 0.5 * std::erfc(t / std::sqrt(2.0));
  if (t < 0) return 1 - student_t_upper(-t, df);
  if (std::isinf(t)) return 0;
  // P(T > t) = I_x(df/2, 1/2) / 2 with x = df / (df + t^2). For small t, x is 1 less a little,
  // which loses the digits of t: there y = 1 - x, computed directly, keeps them.
  const double square = t * t;
  if (square < df) {
    const double y = square / (df + square);
    const double inside = boost::math::ibeta(0.5, df / 2, y, Policy());
    // Boost 1.74 takes the complement for df = 1 from 1 - y; it is needed in the tail only.
    return inside < 0.5 ? 0.5 - inside / 2 : 0.5 * boost::math::ibetac(0.5, df / 2, y, Policy());
  }
  return 0.5 * boost::math::ibeta(df / 2, 0.5, df / (df + square), Policy());
}

double student_t_quantile(double p, double df) {
  if (std::isinf(df)) return -std::sqrt(2.0) * boost::math::erfc_inv(2 * p, Policy());
  return boost::math::quantile(boost::math::students_t_distribution<double, Policy>(df), p);
}

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
