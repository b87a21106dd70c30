// SPDX-License-Identifier: Apache-2.0
// Computes quantiles, rank grids and training curves from samples.
#include "common/html/extract_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/result/case_timing.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMinIterations = 8;
constexpr std::size_t kQuantiles = 64;
constexpr std::size_t kMaxRows = 64, kMaxColumns = 120;
constexpr std::size_t kLossPoints = 120;

/// Values [rank][iteration], without warm-up iterations.
struct Field {
  std::size_t ranks = 0, iterations = 0;
  std::vector<double> values;

  double at(std::size_t rank, std::size_t iteration) const {
    return values[rank * iterations + iteration];
  }
  double& at(std::size_t rank, std::size_t iteration) {
    return values[rank * iterations + iteration];
  }
};

Field field_of(const Samples& samples) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < samples.iterations; ++i) {
    if (!samples.is_warmup(i)) kept.push_back(i);
  }
  Field field{samples.ranks, kept.size(), {}};
  field.values.reserve(samples.ranks * kept.size());
  for (std::size_t rank = 0; rank < samples.ranks; ++rank) {
    for (const std::size_t i : kept) field.values.push_back(samples.value(rank, i));
  }
  return field;
}

bool same_shape(const Samples& x, const Samples& y) {
  return x.ranks == y.ranks && x.iterations == y.iterations && x.warmup == y.warmup;
}

/// Median over ranks per iteration.
std::vector<double> middle_of_ranks(const Field& field) {
  std::vector<double> middles(field.iterations), column(field.ranks);
  for (std::size_t i = 0; i < field.iterations; ++i) {
    for (std::size_t rank = 0; rank < field.ranks; ++rank) column[rank] = field.at(rank, i);
    middles[i] = stats::median(column);
  }
  return middles;
}

void add_effects(const Field& field, RankGrid& grid) {
  const std::vector<double> middles = middle_of_ranks(field);
  std::vector<std::size_t> wins(field.ranks);
  for (std::size_t i = 0; i < field.iterations; ++i) {
    std::size_t slowest = 0;
    for (std::size_t rank = 1; rank < field.ranks; ++rank) {
      if (field.at(rank, i) > field.at(slowest, i)) slowest = rank;
    }
    ++wins[slowest];
  }
  std::vector<double> ratios(field.iterations);
  for (std::size_t rank = 0; rank < field.ranks; ++rank) {
    for (std::size_t i = 0; i < field.iterations; ++i) ratios[i] = field.at(rank, i) / middles[i];
    const double effect = stats::median(ratios);
    grid.effects.push_back(static_cast<float>(effect));
    grid.slowest.push_back(static_cast<float>(wins[rank]) / static_cast<float>(field.iterations));
    grid.imbalance = std::max(grid.imbalance, std::abs(std::log(effect)));
  }
}

void add_cells(const Field& field, double middle, RankGrid& grid) {
  grid.rows = std::min(field.ranks, kMaxRows);
  grid.columns = std::min(field.iterations, kMaxColumns);
  grid.cells.assign(grid.rows * grid.columns, 1.0F);
  std::vector<double> farthest(grid.cells.size(), -1);
  for (std::size_t rank = 0; rank < field.ranks; ++rank) {
    // Maps ranks to rows so that every row covers at least one rank.
    const std::size_t row = ((rank + 1) * grid.rows - 1) / field.ranks;
    for (std::size_t i = 0; i < field.iterations; ++i) {
      const std::size_t cell = row * grid.columns + i * grid.columns / field.iterations;
      const double ratio = field.at(rank, i) / middle;
      if (std::abs(std::log(ratio)) <= farthest[cell]) continue;
      farthest[cell] = std::abs(std::log(ratio));
      grid.cells[cell] = static_cast<float>(ratio);
    }
  }
}

bool usable(const Metric* metric) {
  return metric != nullptr && metric->kind == MetricKind::duration &&
         metric->rank_reduce != RankReduce::root && metric->samples.ranks >= 2;
}

/// compute_time - exposed_communication_time if both are stored, else `metric` alone.
Field own_time(const CaseResult& result, const Metric& metric, RankGrid& grid) {
  Field field = field_of(metric.samples);
  const Metric* exposed = result.find("exposed_communication_time");
  if (exposed == nullptr || !same_shape(exposed->samples, metric.samples)) return field;
  const Field waiting = field_of(exposed->samples);
  for (std::size_t i = 0; i < field.values.size(); ++i)
    field.values[i] = std::max(field.values[i] - waiting.values[i], 0.0);
  grid.metric += " without waiting for the other ranks";
  grid.collective = false;
  return field;
}

double median_or(const CaseResult& result, const char* name, double otherwise) {
  const Metric* metric = result.find(name);
  return metric == nullptr ? otherwise : median_of(result, *metric);
}

}  // namespace

std::vector<float> quantiles_of(const CaseResult& result) {
  const Metric* metric = result.find(result.primary_metric);
  if (metric == nullptr) return {};
  std::vector<double> values = per_iteration(result, *metric);
  const bool broken = !std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
  if (values.size() < kMinIterations || broken) return {};
  std::ranges::sort(values);
  std::vector<float> quantiles;
  for (std::size_t i = 0; i <= kQuantiles; ++i) {
    const double part = static_cast<double>(i) / kQuantiles;
    quantiles.push_back(static_cast<float>(stats::quantile_sorted(values, part)));
  }
  return quantiles;
}

std::optional<RankGrid> grid_of(const CaseResult& result) {
  const Metric* metric = nullptr;
  for (const std::string& name :
       {std::string("local_time"), std::string("compute_time"), result.primary_metric}) {
    metric = result.find(name);
    if (usable(metric)) break;
  }
  if (!usable(metric)) return std::nullopt;
  RankGrid grid;
  grid.metric = metric->name;
  // Cases with a back end are collective, unless the fact rank_local says otherwise.
  grid.collective =
      metric->name != "local_time" && result.params.contains("backend") && !is_rank_local(result);
  const Field field = own_time(result, *metric, grid);
  if (field.iterations < kMinIterations) return std::nullopt;
  if (!std::ranges::all_of(field.values, [](double v) { return v > 0 && std::isfinite(v); }))
    return std::nullopt;
  grid.ranks = field.ranks;
  grid.iterations = field.iterations;
  add_effects(field, grid);
  add_cells(field, stats::median(field.values), grid);
  return grid;
}

std::vector<Point> bucketed(std::span<const double> values, std::size_t count) {
  std::vector<Point> points;
  const std::size_t buckets = std::min(count, values.size());
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t from = bucket * values.size() / buckets;
    const std::size_t to = (bucket + 1) * values.size() / buckets;
    const auto part = values.subspan(from, to - from);
    const auto [least, most] = std::ranges::minmax_element(part);
    points.push_back({static_cast<double>(from + to + 1) / 2, stats::mean(part), *least, *most});
  }
  return points;
}

std::optional<Training> training_of(const CaseResult& result) {
  const Metric* loss = result.find("step_loss");
  if (loss == nullptr || result.find("step_time") == nullptr) return std::nullopt;
  const std::vector<double> losses = per_iteration(result, *loss);
  if (losses.empty()) return std::nullopt;
  Training training;
  training.steps = losses.size();
  training.loss = bucketed(losses, kLossPoints);
  if (const Metric* accuracy = result.find("epoch_accuracy"))
    training.accuracy = per_iteration(result, *accuracy);
  if (training.accuracy.size() > kLossPoints) training.accuracy.resize(kLossPoints);
  training.step = median_or(result, "step_time", 0);
  training.wait = median_or(result, "loader_wait", 0);
  if (result.find("exposed_communication_time") != nullptr)
    training.exposed = median_or(result, "exposed_communication_time", 0);
  return training;
}

}  // namespace scalemark::html
