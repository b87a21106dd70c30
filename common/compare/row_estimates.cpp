// SPDX-License-Identifier: Apache-2.0
// Fits priors of the rows' variances per metric and estimates each row's difference.
#include "common/compare/row_estimates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/stats/blocks.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A prior of variances shared by rows of one metric.
struct Family {
  stats::Prior prior;
  double df_limit = 0;
  std::size_t rows = 0;
  bool stored = false;
};
using Families = std::map<std::string, Family>;  // by metric; "" = all rows

std::optional<stats::Contrast> against_baseline(const stats::Contrast& side, double a,
                                                const std::vector<double>& b) {
  const std::vector<double> center = {a};
  std::optional<stats::Contrast> row = stats::contrast(center, b);
  if (!row) return row;
  const bool own = row->runs_b > 1;
  const double df_a = side.runs_a - 1, df_b = own ? row->runs_b - 1 : 0;
  row->runs_a = side.runs_a;
  row->variance_a = side.variance_a;
  row->variance = (df_a * side.variance_a + (own ? df_b * row->variance_b : 0)) / (df_a + df_b);
  return row;
}

std::optional<RowContrast> in_blocks(const std::vector<double>& a, const std::vector<double>& b,
                                     const Design& design, double floor) {
  std::vector<double> left, right;
  for (const Block& block : design.blocks) {
    left.push_back(a[block.a]);
    right.push_back(b[block.b]);
  }
  const std::optional<stats::BlockContrast> row = stats::block_contrast(left, right);
  if (!row) return std::nullopt;
  stats::SampleVariance own = row->sample();
  // The difference of two readings has twice the rounding variance of one.
  own.variance = std::isnan(own.variance) ? own.variance : std::max(own.variance, 2 * floor);
  return RowContrast{row->difference, own, 1.0 / row->blocks, std::nullopt};
}

Families fit_families(const std::vector<RowValues>& rows,
                      const std::vector<std::optional<RowContrast>>& contrasts,
                      const std::map<std::string, stats::Prior>& stored) {
  std::map<std::string, std::vector<stats::SampleVariance>> variances;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!contrasts[i] || !(contrasts[i]->own.df > 0)) continue;
    variances[rows[i].row.metric].push_back(contrasts[i]->own);
    variances[""].push_back(contrasts[i]->own);
  }
  Families families;
  for (const auto& [metric, prior] : stored) families[metric] = {prior, kInfinity, 0, true};
  for (const auto& [metric, some] : variances) {
    if (some.size() < kMinRowsForPrior || families.contains(metric)) continue;
    const std::optional<stats::Prior> prior = stats::fit_prior(some);
    if (!prior) continue;
    double df = 0;
    for (const stats::SampleVariance& one : some) df += one.df;
    families[metric] = {stats::capped(*prior), df, some.size(), false};
  }
  return families;
}

const Family* family_of(const Families& families, const std::string& metric) {
  const auto own = families.find(metric);
  if (own != families.end()) return &own->second;
  const auto all = families.find("");
  return all == families.end() ? nullptr : &all->second;
}

/// Names the tests used, with the number of rows tested by each.
std::string describe_method(const std::map<std::string, std::size_t>& moderated, std::size_t alone,
                            const Families& families, const Design& design) {
  const std::string blocks =
      design.paired() ? fmt::format("paired in {} blocks: ", design.blocks.size()) : "";
  std::vector<std::string> parts;
  for (const auto& [name, rows] : moderated) {
    const Family& family = families.at(name);
    parts.push_back(fmt::format(
        "moderated t over {}{}, {:.1f} prior degrees of freedom{}, typical spread of {} "
        "{:.2f} %",
        text::counted(rows, "row"), moderated.size() > 1 && !name.empty() ? " of " + name : "",
        family.prior.df, family.stored ? " (stored)" : "", design.paired() ? "differences" : "runs",
        100 * std::sqrt(family.prior.variance)));
  }
  if (alone > 0) {
    parts.push_back(fmt::format("{}, row by row ({} {} too few to share their variance)",
                                design.paired() ? "paired t" : "Welch's t",
                                text::counted(alone, "row"), alone == 1 ? "is" : "are"));
  }
  if (parts.empty()) return "none: no case has more than one run on a side";
  return blocks + text::join(parts, "; ");
}

}  // namespace

std::optional<RowContrast> contrast_of(const std::vector<double>& a, const std::vector<double>& b,
                                       const Design& design, double clock_step,
                                       const std::optional<stats::Contrast>& baseline) {
  // Variance of a uniform rounding error: equal readings of a coarse clock do not prove equal
  // times.
  const double floor = clock_step * clock_step / 12;
  if (design.paired()) return in_blocks(a, b, design, floor);
  std::optional<stats::Contrast> sides =
      baseline && a.size() == 1 ? against_baseline(*baseline, a[0], b) : stats::contrast(a, b);
  if (!sides) return std::nullopt;
  sides = stats::with_floor(*sides, floor);
  return RowContrast{sides->difference,
                     {sides->variance, static_cast<double>(sides->df())},
                     1.0 / sides->runs_a + 1.0 / sides->runs_b,
                     sides};
}

std::optional<stats::Estimate> estimate_alone(const RowContrast& row) {
  if (!(row.own.df > 0)) return std::nullopt;
  // With one run on a side, the variance of the other side is used for both.
  const std::optional<stats::Estimate> separate =
      row.sides ? stats::welch(*row.sides) : std::nullopt;
  if (separate) return separate;
  return stats::moderated(row.difference, row.own, row.scale, {}, kInfinity);
}

std::vector<RowEstimate> estimate_rows(const std::vector<RowValues>& rows, const Design& design,
                                       const std::map<std::string, stats::Prior>& stored,
                                       std::string& method) {
  std::vector<std::optional<RowContrast>> contrasts;
  for (const RowValues& one : rows)
    contrasts.push_back(contrast_of(one.a, one.b, design, one.clock_step, one.baseline));
  const Families families = fit_families(rows, contrasts, stored);
  std::vector<RowEstimate> estimates(rows.size());
  std::map<std::string, std::size_t> moderated;
  std::size_t alone = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!contrasts[i]) continue;
    const RowContrast& row = *contrasts[i];
    const Family* family = family_of(families, rows[i].row.metric);
    if (family == nullptr) {
      estimates[i].test = estimate_alone(row);
      alone += estimates[i].test ? 1 : 0;
      continue;
    }
    estimates[i] = {
        stats::moderated(row.difference, row.own, row.scale, family->prior, family->df_limit),
        family->prior.df};
    ++moderated[families.contains(rows[i].row.metric) ? rows[i].row.metric : ""];
  }
  method = describe_method(moderated, alone, families, design);
  return estimates;
}

}  // namespace scalemark::compare
