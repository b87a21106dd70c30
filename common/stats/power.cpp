// SPDX-License-Identifier: Apache-2.0
// Detectable differences and required runs, from central t quantiles (slightly conservative for few
// runs).
#include "common/stats/power.hpp"

#include <algorithm>
#include <cmath>

#include "common/stats/distributions.hpp"

namespace scalemark::stats {
namespace {

constexpr int kMaxRuns = 1000;
constexpr double kPower = 0.8;

double error_of(double variance, int runs_a, int runs_b) {
  return std::sqrt(variance * (1.0 / runs_a + 1.0 / runs_b));
}

}  // namespace

double detectable(double variance, double df, int runs_a, int runs_b, double alpha, double power) {
  const double quantiles = student_t_quantile(1 - alpha, df) + student_t_quantile(power, df);
  return quantiles * error_of(variance, runs_a, runs_b);
}

double power_of(double beyond, double variance, double df, int runs_a, int runs_b, double alpha) {
  const double error = error_of(variance, runs_a, runs_b);
  if (error == 0) return beyond > 0 ? 1 : 0;
  return student_t_upper(student_t_quantile(1 - alpha, df) - beyond / error, df);
}

int runs_needed(double variance, double prior_df, double tau, double alpha) {
  const auto are_enough = [&](int runs) {
    return detectable(variance, prior_df + 2 * runs - 2, runs, runs, alpha, kPower) <= tau;
  };
  // Student's quantiles exceed the normal ones, so the normal quantiles give a lower bound close to
  // the result.
  const double quantiles = normal_quantile(1 - alpha) + normal_quantile(kPower);
  const double least = 2 * variance * (quantiles / tau) * (quantiles / tau);
  if (!(least < kMaxRuns)) return kMaxRuns;
  int too_few = std::max(1, static_cast<int>(std::ceil(least)) - 1), enough = too_few + 1;
  for (int step = 1; enough < kMaxRuns && !are_enough(enough); step *= 2) {
    too_few = enough;
    enough = std::min(enough + step, kMaxRuns);
  }
  while (enough - too_few > 1) {
    const int runs = (too_few + enough) / 2;
    (are_enough(runs) ? enough : too_few) = runs;
  }
  return enough;
}

}  // namespace scalemark::stats
