// SPDX-License-Identifier: Apache-2.0
// Probability that future runs decide a row, integrated numerically over difference and noise.
#include "common/stats/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "common/stats/distributions.hpp"
#include "common/stats/effect_mixture.hpp"
#include "common/stats/special.hpp"

namespace scalemark::stats {
namespace {

constexpr int kNoiseNodes = 5;
/// Nodes with small weights are dropped once the others have this share: they do not change
/// results.
constexpr double kKeptWeight = 0.98;
constexpr double kStepOfRuns = 1.25;
/// A SAME row with a smaller probability of becoming changed is not evaluated further.
constexpr double kHardlyChanged = 0.01;
/// Fewer rows are not enough to estimate a common noise level.
constexpr std::size_t kMinRowsForNoise = 3;

/// One possible truth about a row: its difference is normally distributed, its noise is fixed.
struct Node {
  double mean = 0, variance = 0;  ///< of the true difference
  double noise = 0;               ///< variance of one run
  double weight = 0;
};

/// Probabilities that a row is decided as changed, and as SAME.
struct Chance {
  double changed = 0, same = 0;
};

int fewer_runs(const TestedRow& row) { return std::min(row.runs_a, row.runs_b); }

/// Squared standard error / variance of one run, if each side has at least `runs` runs.
double scale_with(const TestedRow& row, int runs) {
  if (row.paired) return 1.0 / std::max(runs, fewer_runs(row));
  return 1.0 / std::max(runs, row.runs_a) + 1.0 / std::max(runs, row.runs_b);
}

double own_df(const TestedRow& row, int runs) {
  if (row.paired) return std::max(runs, fewer_runs(row)) - 1;
  return std::max(runs, row.runs_a) + std::max(runs, row.runs_b) - 2;
}

/// Equally likely values of (true noise variance / estimated variance).
std::vector<double> noise_factors(double df) {
  std::vector<double> factors;
  for (int i = 0; i < kNoiseNodes; ++i) {
    const double chance = (i + 0.5) / kNoiseNodes;
    factors.push_back(std::isinf(df) ? 1 : df / chi_square_quantile(chance, df));
  }
  return factors;
}

/// For predictions, rows that were tested without a prior also get a noise estimate shared over
/// rows.
std::vector<TestedRow> with_common_noise(std::span<const TestedRow> rows) {
  std::vector<TestedRow> better(rows.begin(), rows.end());
  std::vector<SampleVariance> alone;
  for (TestedRow& row : better) {
    row.noise.variance = std::max(row.noise.variance, 1e-20);
    if (row.prior_df == 0) alone.push_back(row.noise);
  }
  if (alone.size() < kMinRowsForNoise) return better;
  const std::optional<Prior> fitted = fit_prior(alone);
  if (!fitted) return better;
  const Prior prior = capped(*fitted, std::min(kMaxPriorDf, static_cast<double>(alone.size())));
  for (TestedRow& row : better) {
    if (row.prior_df > 0) continue;
    const double df = prior.df + row.noise.df;
    row.noise = {(prior.df * prior.variance + row.noise.df * row.noise.variance) / df, df};
  }
  return better;
}

std::vector<EffectPart> effects_of(std::span<const TestedRow> rows, double tau) {
  std::vector<MeasuredEffect> effects;
  for (const TestedRow& row : rows) {
    effects.push_back(
        {row.difference, std::sqrt(row.noise.variance * scale_with(row, 0)), row.noise.df});
  }
  return fit_effects(effects, tau);
}

/// Posterior distribution of a row's difference and noise, as weighted nodes.
std::vector<Node> nodes_of(const TestedRow& row, const std::vector<EffectPart>& effects,
                           const std::vector<double>& factors) {
  std::vector<Node> nodes;
  double total = 0;
  for (const double factor : factors) {
    const double noise = factor * row.noise.variance, error = noise * scale_with(row, 0);
    for (const EffectPart& part : effects) {
      const double sum = part.variance + error, away = row.difference - part.center;
      const double weight = part.weight * std::exp(-away * away / (2 * sum)) / std::sqrt(sum);
      nodes.push_back({(part.center * error + row.difference * part.variance) / sum,
                       part.variance * error / sum, noise, weight});
      total += weight;
    }
  }
  // All weights underflow: use the measured values only.
  if (!(total > 0)) return {{row.difference, 0, row.noise.variance, 1}};
  std::ranges::stable_sort(nodes, std::ranges::greater(), &Node::weight);
  double kept = 0;
  std::size_t count = 0;
  while (count < nodes.size() && kept < kKeptWeight * total) kept += nodes[count++].weight;
  nodes.resize(count);
  for (Node& node : nodes) node.weight /= kept;
  return nodes;
}

/// Quantiles for the tests at a given number of runs, cached, because most rows have the same
/// degrees of freedom.
class Quantiles {
 public:
  Quantiles(double level, double alpha) : level_(level), alpha_(alpha) {}
  struct Row {
    double changed = 0, changed_both = 0;  ///< at the significance level, and at half of it
    double same = 0;
    double normal = 0;  ///< normal quantile at the level
    double level = 0;
  };
  const Row& at(double df) {
    const auto [found, is_new] = rows_.try_emplace(df);
    if (is_new) {
      found->second = {student_t_quantile(1 - level_, df), student_t_quantile(1 - level_ / 2, df),
                       student_t_quantile(1 - alpha_, df), normal_quantile(1 - level_), level_};
    }
    return found->second;
  }

 private:
  double level_, alpha_;
  std::map<double, Row> rows_;
};

double mass_between(double low, double high, double mean, double sd) {
  if (!(sd > 0)) return mean > low && mean < high ? 1 : 0;
  return normal_upper((low - mean) / sd) - normal_upper((high - mean) / sd);
}

/// Smallest difference that TREAT finds. Its p-value has two tails; the far one matters if the
/// threshold is small compared to the error. The quantile is interpolated between those for the
/// level and for half of it.
double critical_difference(const Quantiles::Row& quantiles, double tau, double error) {
  const double far =
      std::min(1.0, normal_upper(quantiles.normal + 2 * tau / error) / quantiles.level);
  const double t =
      quantiles.changed + (quantiles.changed_both - quantiles.changed) * std::log2(1 + far);
  return tau + t * error;
}

Chance chance_with(const TestedRow& row, const std::vector<Node>& nodes, int runs,
                   const DecisionRules& rules, Quantiles& quantiles) {
  const double scale = scale_with(row, runs), kept = scale / scale_with(row, 0);
  const double own = own_df(row, runs), before = own_df(row, 0);
  const Quantiles::Row& at = quantiles.at(row.prior_df + row.df_share * own);
  const double infinity = std::numeric_limits<double>::infinity();
  Chance chance;
  for (const Node& node : nodes) {
    // Future runs change the noise estimate, too: it moves towards the true noise.
    const double fresh = std::isinf(row.prior_df) ? 0 : (own - before) / (row.prior_df + own);
    const double variance = (1 - fresh) * row.noise.variance + fresh * node.noise;
    const double error = std::sqrt(variance * scale);
    const double mean = kept * row.difference + (1 - kept) * node.mean;
    const double sd =
        std::sqrt((1 - kept) * (1 - kept) * node.variance + node.noise * scale * (1 - kept));
    if (row.directed) {
      const double critical = critical_difference(at, rules.tau, error);
      chance.changed += node.weight * (mass_between(critical, infinity, mean, sd) +
                                       mass_between(-infinity, -critical, mean, sd));
    }
    const double room = rules.tau - at.same * error;
    if (room > 0) chance.same += node.weight * mass_between(-room, room, mean, sd);
  }
  return chance;
}

/// State of the planning.
struct Plan {
  std::vector<TestedRow> rows;
  std::vector<std::vector<Node>> nodes;  ///< empty for rows that are already changed
  std::vector<Chance> chances;           ///< at the number of runs considered last
  std::vector<bool> settled;             ///< no further evaluation needed
  double found = 0;                      ///< expected number of changes
};

double level_of(const Plan& plan, const DecisionRules& rules) {
  double tests = 0;
  for (const TestedRow& row : plan.rows) tests += row.directed ? 1 : 0;
  const double found = std::clamp(plan.found, 1.0, std::max(1.0, tests));
  if (rules.family_wise) return rules.alpha / (std::max(1.0, tests) - found + 1);
  return rules.alpha * found / std::max(1.0, tests);
}

/// Evaluates the chances with `runs` runs. They depend on the level; the level depends on the
/// changes expected with fewer runs.
void look(Plan& plan, int runs, const DecisionRules& rules) {
  Quantiles quantiles(level_of(plan, rules), rules.alpha);
  double found = 0;
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    if (!plan.settled[i]) {
      plan.chances[i] = chance_with(plan.rows[i], plan.nodes[i], runs, rules, quantiles);
      plan.settled[i] = !plan.rows[i].is_open && plan.chances[i].changed < kHardlyChanged;
    }
    found += plan.chances[i].changed;
  }
  plan.found = std::max(plan.found, found);
}

Plan plan_of(std::span<const TestedRow> rows, const DecisionRules& rules) {
  Plan plan;
  plan.rows = with_common_noise(rows);
  plan.nodes.resize(rows.size());
  plan.chances.resize(rows.size());
  plan.settled.resize(rows.size(), false);
  const std::vector<EffectPart> effects = effects_of(plan.rows, rules.tau);
  std::map<double, std::vector<double>> factors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].changed) {
      plan.found += 1;
      plan.chances[i].changed = 1;
      plan.settled[i] = true;
      continue;
    }
    const double df = plan.rows[i].noise.df;
    const auto [found, is_new] = factors.try_emplace(df);
    if (is_new) found->second = noise_factors(df);
    plan.nodes[i] = nodes_of(plan.rows[i], effects, found->second);
  }
  return plan;
}

}  // namespace

std::vector<std::optional<int>> runs_to_decide(std::span<const TestedRow> rows,
                                               const DecisionRules& rules) {
  std::vector<std::optional<int>> needed(rows.size());
  std::size_t waiting = 0;
  int runs = kMaxRunsNeeded;
  for (const TestedRow& row : rows) {
    if (!row.is_open) continue;
    ++waiting;
    runs = std::min(runs, fewer_runs(row) + 1);
  }
  if (waiting == 0) return needed;
  Plan plan = plan_of(rows, rules);
  std::vector<double> before(rows.size(), 0);
  int last = runs - 1;
  while (true) {
    look(plan, runs, rules);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].is_open || needed[i] || runs <= fewer_runs(rows[i])) continue;
      const double chance = plan.chances[i].changed + plan.chances[i].same;
      if (chance >= kAssured) {
        // Interpolate: between two numbers of runs the chance is nearly linear.
        const double part = (kAssured - before[i]) / (chance - before[i]);
        const int between_both = last + static_cast<int>(std::ceil(part * (runs - last)));
        needed[i] = std::clamp(between_both, fewer_runs(rows[i]) + 1, runs);
        plan.settled[i] = true;
        --waiting;
      }
      before[i] = chance;
    }
    if (waiting == 0 || runs >= kMaxRunsNeeded) break;
    last = runs;
    runs = std::min(kMaxRunsNeeded, std::max(runs + 1, static_cast<int>(kStepOfRuns * runs)));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].is_open && !needed[i]) needed[i] = kMaxRunsNeeded;
  }
  return needed;
}

}  // namespace scalemark::stats
