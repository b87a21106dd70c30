// SPDX-License-Identifier: Apache-2.0
// Geyer's initial positive sequence of values and of signs.
#include "common/stats/autocorrelation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/stats/summary.hpp"

namespace scalemark::stats {
namespace {

/// Up to kDenseLags all pairs of lags are computed; beyond, one of kSparseStep pairs.
constexpr std::size_t kDenseLags = 4096;
constexpr std::size_t kSparseStep = 64;

/// Signs of numbers, 64 in a word: products of signs are counted instead of multiplied.
class PackedSigns {
 public:
  explicit PackedSigns(std::span<const std::int8_t> signs)
      : words_((signs.size() + kBits - 1) / kBits),
        not_zero_(words_ + 1),  // the word behind the last one stays 0
        negative_(words_ + 1) {
    for (std::size_t i = 0; i < signs.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (i % kBits);
      if (signs[i] != 0) not_zero_[i / kBits] |= bit;
      if (signs[i] < 0) negative_[i / kBits] |= bit;
    }
  }

  /// Sum over i of sign[i] * sign[i + lag].
  std::int64_t product_sum(std::size_t lag) const {
    const std::size_t skipped = lag / kBits;
    const int bits = static_cast<int>(lag % kBits);
    std::int64_t total = 0;
    for (std::size_t i = 0; i + skipped < words_; ++i) {
      const std::uint64_t both = not_zero_[i] & shifted(not_zero_, i + skipped, bits);
      const std::uint64_t differ = both & (negative_[i] ^ shifted(negative_, i + skipped, bits));
      total += std::popcount(both) - 2 * std::popcount(differ);
    }
    return total;
  }

 private:
  static constexpr std::size_t kBits = 64;

  static std::uint64_t shifted(const std::vector<std::uint64_t>& words, std::size_t i, int bits) {
    // A shift by 64 would be undefined.
    return (words[i] >> bits) | ((words[i + 1] << 1) << (63 - bits));
  }

  std::size_t words_;
  std::vector<std::uint64_t> not_zero_, negative_;
};

/// `covariance(lag)`: the sum of products of deviations from the mean.
template <typename Covariance>
Autocorrelation initial_positive_sequence(std::size_t n, const Covariance& covariance) {
  Autocorrelation result;
  result.n_eff = static_cast<double>(n);
  const double variance = n > 0 ? covariance(0) : 0;
  if (!(variance > 0)) return result;
  result.constant = false;
  double total = 0;
  // Each pair costs O(n), and with a drift pairs are positive up to n/2. At large lags they change
  // slowly, so few of them are computed.
  for (std::size_t lag = 0; lag + 1 < n;) {
    const std::size_t stands_for = lag < kDenseLags ? 1 : kSparseStep;
    const double pair = covariance(lag) + covariance(lag + 1);
    if (!(pair > 0)) break;
    total += pair * static_cast<double>(stands_for);
    result.pairs += stands_for;
    lag += 2 * stands_for;
  }
  result.tau_raw = 2 * total / variance - 1;
  result.tau = std::max(1.0, result.tau_raw);
  result.n_eff = static_cast<double>(n) / result.tau;
  return result;
}

}  // namespace

Autocorrelation autocorrelation(std::span<const double> values) {
  const std::size_t n = values.size();
  std::vector<double> centred(n);
  // Subtract the first value before the mean is computed: clock values in nanoseconds may have 16
  // digits.
  for (std::size_t i = 0; i < n; ++i) centred[i] = values[i] - values[0];
  const double average = mean(centred);
  for (double& value : centred) value -= average;
  return initial_positive_sequence(n, [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += centred[i] * centred[i + lag];
    return sum;
  });
}

Autocorrelation sign_autocorrelation(std::span<const double> values) {
  const std::size_t n = values.size();
  const double center = median(values);
  std::vector<std::int8_t> sign(n);
  std::vector<std::int64_t> sum(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    sign[i] = static_cast<std::int8_t>((values[i] > center) - (values[i] < center));
    sum[i + 1] = sum[i] + sign[i];
  }
  const double average = n > 0 ? static_cast<double>(sum[n]) / static_cast<double>(n) : 0;
  const PackedSigns packed(sign);
  // Sum of (s_i - m)(s_(i+k) - m), expanded so that the sums over i are integers.
  return initial_positive_sequence(n, [&](std::size_t lag) {
    const auto edges = static_cast<double>(sum[n - lag] + sum[n] - sum[lag]);
    return static_cast<double>(packed.product_sum(lag)) - average * edges +
           static_cast<double>(n - lag) * average * average;
  });
}

MedianInterval order_statistic_interval(std::span<const double> sorted, double n_eff, double z) {
  const auto n = static_cast<double>(sorted.size());
  const double half = z * n / (2 * std::sqrt(n_eff));
  const double low = std::floor(n / 2 - half), high = std::ceil(1 + n / 2 + half);
  MedianInterval interval;
  interval.median = quantile_sorted(sorted, 0.5);
  interval.clamped = low < 1 || high > n;
  interval.rank_low = static_cast<std::size_t>(std::clamp(low, 1.0, n));
  interval.rank_high = static_cast<std::size_t>(std::clamp(high, 1.0, n));
  interval.low = sorted[interval.rank_low - 1];
  interval.high = sorted[interval.rank_high - 1];
  return interval;
}

}  // namespace scalemark::stats
