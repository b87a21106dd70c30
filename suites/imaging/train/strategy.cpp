// SPDX-License-Identifier: Apache-2.0
// Distributes the samples of an epoch over the ranks, by strategy.
#include "suites/imaging/train/strategy.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/torch/sampler.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::array<std::pair<Strategy, const char*>, 7> kNames = {{
    {Strategy::single, "single"},
    {Strategy::data_parallel_replicate, "data_parallel_replicate"},
    {Strategy::data_parallel_persistent, "data_parallel_persistent"},
    {Strategy::data_parallel_device_scatter, "data_parallel_device_scatter"},
    {Strategy::ddp_full, "ddp_full"},
    {Strategy::ddp_rr, "ddp_rr"},
    {Strategy::ddp_ds, "ddp_ds"},
}};

/// Separates the ranks' permutations for any seed and epoch.
constexpr std::uint64_t kRankStride = 1'000'003;

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const auto& [strategy, name] : kNames) names.emplace_back(name);
  return names;
}

Strategy strategy_from(const std::string& name) {
  for (const auto& [strategy, known] : kNames) {
    if (name == known) return strategy;
  }
  throw Error(fmt::format("no strategy '{}'", name));
}

bool is_data_parallel(Strategy strategy) {
  return strategy == Strategy::data_parallel_replicate ||
         strategy == Strategy::data_parallel_persistent ||
         strategy == Strategy::data_parallel_device_scatter;
}

bool is_ddp(Strategy strategy) {
  return strategy == Strategy::ddp_full || strategy == Strategy::ddp_rr ||
         strategy == Strategy::ddp_ds;
}

EpochPlan plan_epoch(const EpochRequest& request) {
  torch_support::SamplerOptions sampler{
      .samples = request.samples, .seed = request.seed, .epoch = request.epoch};
  EpochPlan plan;
  if (request.strategy == Strategy::ddp_ds) {
    sampler.ranks = request.ranks;
    sampler.rank = request.rank;
  } else if (request.strategy == Strategy::ddp_full) {
    sampler.seed += kRankStride * static_cast<std::uint64_t>(request.rank);
  }
  plan.order = sampler_indices(sampler);
  plan.loaded = static_cast<std::int64_t>(plan.order.size()) / request.batch;
  if (request.strategy == Strategy::ddp_rr) {
    plan.loaded -= plan.loaded % request.ranks;
    plan.first = request.rank;
    plan.every = request.ranks;
  }
  plan.order.resize(static_cast<std::size_t>(plan.loaded * request.batch));
  return plan;
}

}  // namespace scalemark::imaging
