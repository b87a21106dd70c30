// SPDX-License-Identifier: Apache-2.0
// Finds two modes in the quantile sketches of runs and tests their shares.
#include "common/compare/findings/modes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "common/compare/row_estimates.hpp"
#include "common/stats/adjust.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

constexpr double kMinDistance = 0.02, kMinDeviations = 4, kMinShare = 0.04;
constexpr double kMinChange = 0.02;

/// Mean and variance of one mode.
struct Part {
  double mean = 0, variance = 0;
};

Part part_of(std::span<const float> values) {
  Part part;
  for (const float one : values) part.mean += one;
  part.mean /= static_cast<double>(values.size());
  for (const float one : values) part.variance += (one - part.mean) * (one - part.mean);
  part.variance /= static_cast<double>(values.size());
  return part;
}

/// The split of the run whose modes are farthest apart, used for all runs of the row.
std::optional<ModeSplit> common_split(const PairedRow& pair, double min_distance) {
  std::optional<ModeSplit> split;
  for (const auto* side : {&pair.a, &pair.b}) {
    for (const RowDigest* run : *side) {
      if (run == nullptr || run->status != Status::ok) continue;
      const std::optional<ModeSplit> run_split = mode_split(run->sketch, min_distance);
      if (run_split && (!split || run_split->distance > split->distance)) split = run_split;
    }
  }
  return split;
}

/// Per run, the share of iterations in the slow mode.
struct Shares {
  std::vector<double> logit, share;  ///< NaN if the run has no sketch
};

Shares shares_of(const std::vector<const RowDigest*>& side, double split) {
  Shares shares;
  for (const RowDigest* run : side) {
    const bool known = run != nullptr && run->status == Status::ok && !run->sketch.empty();
    if (!known) {
      shares.logit.push_back(stats::kNan);
      shares.share.push_back(stats::kNan);
      continue;
    }
    const auto n = static_cast<double>(run->sketch.size());
    const auto slow = static_cast<double>(
        std::ranges::count_if(run->sketch, [split](float x) { return x > split; }));
    // Adding 0.5 to both counts keeps the logit finite for shares of 0 and 1.
    shares.logit.push_back(std::log((slow + 0.5) / (n - slow + 0.5)));
    shares.share.push_back(slow / n);
  }
  return shares;
}

double mean_share(const Shares& shares) {
  std::vector<double> known;
  std::ranges::copy_if(shares.share, std::back_inserter(known),
                       [](double x) { return std::isfinite(x); });
  return stats::mean(known);
}

/// The shares of the slow mode in A and B, and the p of "no difference".
struct Mix {
  std::size_t row = 0;
  double a = 0, b = 0, p = 0;
};

std::optional<Mix> mix_of(const PairedRow& pair, const RowValues& row, const Design& design) {
  const std::optional<ModeSplit> split = common_split(pair, 3 * row.clock_step);
  if (!split) return std::nullopt;
  const Shares a = shares_of(pair.a, split->midpoint), b = shares_of(pair.b, split->midpoint);
  Mix mix{0, mean_share(a), mean_share(b), stats::kNan};
  if (!std::isfinite(mix.a) || !std::isfinite(mix.b)) return std::nullopt;
  // A share from 100 quantiles has at least the sampling variance 1 / (n p (1 - p)) on the logit
  // scale. The lower limit in contrast_of() is step^2 / 12, hence this step.
  const double share = (50 * (mix.a + mix.b) + 0.5) / 101;
  const double step = std::sqrt(12 / (100 * share * (1 - share)));
  const std::optional<RowContrast> contrast = contrast_of(a.logit, b.logit, design, step);
  const auto estimate = contrast ? estimate_alone(*contrast) : std::nullopt;
  if (!estimate) return std::nullopt;
  mix.p = stats::p_different(*estimate);
  return mix;
}

}  // namespace

std::optional<ModeSplit> mode_split(std::span<const float> sketch, double min_distance) {
  const auto n = static_cast<double>(sketch.size());
  const auto least = static_cast<std::size_t>(std::ceil(kMinShare * n));
  if (least == 0 || sketch.size() < 4 * least) return std::nullopt;
  const double center = part_of(sketch).mean;
  double sum = 0, best = -1;
  std::size_t cut = 0;
  for (std::size_t i = 0; i + least < sketch.size(); ++i) {
    sum += sketch[i] - center;
    const auto below = static_cast<double>(i + 1);
    // Between-group variance: deviations from the center add up to 0 over both parts.
    const double between = sum * sum / (below * (n - below));
    if (i + 1 < least || between <= best) continue;
    best = between;
    cut = i + 1;
  }
  const Part fast = part_of(sketch.first(cut)), slow = part_of(sketch.subspan(cut));
  const double distance = slow.mean - fast.mean;
  const double deviation = std::sqrt((fast.variance + slow.variance) / 2);
  if (!(distance > std::max(kMinDistance, min_distance)) || distance < kMinDeviations * deviation)
    return std::nullopt;
  return ModeSplit{(fast.mean + slow.mean) / 2, distance};
}

std::vector<Finding> find_changed_modes(const std::vector<PairedRow>& pairs,
                                        std::vector<RowValues>& rows, const Design& design,
                                        double alpha) {
  std::vector<Mix> mixes;
  std::vector<double> p;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::optional<Mix> mix = mix_of(pairs[i], rows[i], design);
    if (!mix) continue;
    mix->row = i;
    mixes.push_back(*mix);
    p.push_back(mix->p);
  }
  const std::vector<double> q = stats::benjamini_hochberg(p);
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    const Mix& mix = mixes[i];
    if (!(q[i] <= alpha) || std::abs(mix.b - mix.a) < kMinChange) continue;
    CompareRow& row = rows[mix.row].row;
    row.flags.emplace_back("modes_changed");
    if (row.verdict == Verdict::same) row.verdict = Verdict::inconclusive;
    findings.push_back(
        {"modes",
         "both",
         row.key,
         fmt::format("{}: {:.0f} % of the iterations in the slow mode in A, {:.0f} % in B", row.key,
                     100 * mix.a, 100 * mix.b),
         {{"a", mix.a}, {"b", mix.b}, {"p", mix.p}, {"q", q[i]}}});
  }
  return findings;
}

}  // namespace scalemark::compare
