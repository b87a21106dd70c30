// SPDX-License-Identifier: Apache-2.0
// Declaring and registering benchmarks.
#include "common/core/benchmark.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

std::vector<Value> as_values(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

std::vector<Value> as_values(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

Axis::Default constant(std::vector<Value> values) {
  return [values = std::move(values)](const PlanContext&) { return values; };
}

/// minimum, 2 * minimum, 4 * minimum, ... and all ranks; fewer ranks than the minimum give one case
/// that will be skipped with that reason.
std::vector<Value> rank_counts(int fewest, bool sweep, int all) {
  std::vector<Value> counts;
  for (std::int64_t count = fewest; sweep && count < all; count *= 2) counts.emplace_back(count);
  counts.emplace_back(static_cast<std::int64_t>(std::max(fewest, all)));
  return counts;
}

}  // namespace

Benchmark::Benchmark(std::string name, Function run) : name_(std::move(name)), function_(run) {
  ranks(1);
}

Benchmark& Benchmark::doc(std::string text) {
  doc_ = std::move(text);
  return *this;
}

Benchmark& Benchmark::axis(std::string name, std::vector<std::string> allowed) {
  return axis(std::move(name), allowed, allowed);
}

Benchmark& Benchmark::axis(std::string name, std::vector<std::string> allowed,
                           std::vector<std::string> defaults) {
  Axis axis;
  axis.name = std::move(name);
  axis.type = Axis::Type::text;
  axis.allowed = as_values(allowed);
  axis.defaults = constant(as_values(defaults));
  axes_.push_back(std::move(axis));
  return *this;
}

Benchmark& Benchmark::axis_integer(std::string name, std::int64_t minimum, std::int64_t maximum,
                                   const std::string& defaults, const std::string& quick) {
  Axis axis;
  axis.name = std::move(name);
  axis.type = Axis::Type::integer;
  axis.minimum = minimum;
  axis.maximum = maximum;
  axis.defaults = constant(as_values(text::parse_integers(defaults)));
  if (!quick.empty()) axis.quick = as_values(text::parse_integers(quick));
  axes_.push_back(std::move(axis));
  return *this;
}

Benchmark& Benchmark::axis_number(std::string name, std::int64_t minimum, std::int64_t maximum,
                                  std::vector<double> defaults) {
  Axis axis;
  axis.name = std::move(name);
  axis.type = Axis::Type::number;
  axis.minimum = minimum;
  axis.maximum = maximum;
  axis.defaults = constant({defaults.begin(), defaults.end()});
  axes_.push_back(std::move(axis));
  return *this;
}

Benchmark& Benchmark::axis_boolean(std::string name, std::vector<bool> defaults) {
  Axis axis;
  axis.name = std::move(name);
  axis.type = Axis::Type::boolean;
  axis.allowed = {Value(false), Value(true)};
  axis.defaults = constant({defaults.begin(), defaults.end()});
  axes_.push_back(std::move(axis));
  return *this;
}

Benchmark& Benchmark::implied(Value value) {
  axes_.back().implied = std::move(value);
  return *this;
}

Benchmark& Benchmark::default_by_gpu(const std::string& without_gpu, const std::string& with_gpu) {
  axes_.back().defaults = [=](const PlanContext& context) {
    return std::vector<Value>{context.cuda_usable ? with_gpu : without_gpu};
  };
  return *this;
}

Benchmark& Benchmark::default_by_ranks() {
  axes_.back().defaults = [](const PlanContext& context) {
    return std::vector<Value>{std::int64_t{context.ranks}};
  };
  return *this;
}

Benchmark& Benchmark::compute_axes() {
  axis("device", {"cpu", "cuda"});
  axes_.back().defaults = [](const PlanContext& context) {
    return std::vector<Value>{std::string(context.cuda_usable ? "cuda" : "cpu")};
  };
  axis_integer("threads", 1, 4096, "1");
  axes_.back().defaults = [](const PlanContext& context) {
    return std::vector<Value>{static_cast<std::int64_t>(context.threads)};
  };
  return *this;
}

Benchmark& Benchmark::ranks(int minimum, int sweep_from) {
  minimum_ranks_ = minimum;
  default_ranks_ = std::max(minimum, sweep_from);
  std::erase_if(axes_, [](const Axis& axis) { return axis.name == "ranks"; });
  Axis axis;
  axis.name = "ranks";
  axis.type = Axis::Type::integer;
  axis.minimum = 1;
  axis.defaults = [fewest = default_ranks_, sweep_from](const PlanContext& context) {
    return rank_counts(fewest, sweep_from > 0, context.ranks);
  };
  axes_.insert(axes_.begin(), std::move(axis));
  return *this;
}

Benchmark& Benchmark::two_ranks() {
  ranks(2);
  axes_.front().minimum = axes_.front().maximum = 2;
  axes_.front().defaults = constant({std::int64_t{2}});
  return *this;
}

Benchmark& Benchmark::two_ranks_or_more() {
  ranks(2);
  axes_.front().minimum = 2;
  axes_.front().defaults = constant({std::int64_t{2}});
  return *this;
}

Benchmark& Benchmark::rank_local() {
  rank_local_ = true;
  return *this;
}

Benchmark& Benchmark::fixed_work() {
  fixed_work_ = true;
  return *this;
}

Benchmark& Benchmark::where(std::function<bool(const Params&)> sensible) {
  sensible_ = std::move(sensible);
  return *this;
}

Benchmark& Benchmark::adjust(std::function<void(Params&)> change) {
  return adjust_to_job(
      [change = std::move(change)](Params& params, const PlanContext&) { change(params); });
}

Benchmark& Benchmark::adjust_to_job(std::function<void(Params&, const PlanContext&)> change) {
  if (!adjust_) {
    adjust_ = std::move(change);
    return *this;
  }
  adjust_ = [first = std::move(adjust_), second = std::move(change)](Params& params,
                                                                     const PlanContext& context) {
    first(params, context);
    second(params, context);
  };
  return *this;
}

Benchmark& Benchmark::memory(Memory bytes_per_rank) {
  memory_ = std::move(bytes_per_rank);
  return *this;
}

Benchmark& Benchmark::host_memory(Memory bytes_per_rank) {
  host_memory_ = std::move(bytes_per_rank);
  return *this;
}

Benchmark& Benchmark::forecast(Forecasts of_a_rank) {
  forecasts_ = std::move(of_a_rank);
  return *this;
}

Benchmark& Benchmark::unavailable(std::string reason) {
  unavailable_ = std::move(reason);
  return *this;
}

Benchmark& Benchmark::with(const std::function<void(Benchmark&)>& declare) {
  declare(*this);
  return *this;
}

Benchmark& Benchmark::needs(std::string text) {
  needs_.push_back(std::move(text));
  return *this;
}

const Axis* Benchmark::find_axis(const std::string& name) const {
  const auto found =
      std::ranges::find_if(axes_, [&](const Axis& axis) { return axis.name == name; });
  return found == axes_.end() ? nullptr : &*found;
}

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

Benchmark& Registry::add(Benchmark benchmark) {
  const std::string name = benchmark.name();
  const std::vector<std::string> parts = text::split(name, '/');
  if (parts.size() != 2 || !text::is_identifier(parts[0]) || !text::is_identifier(parts[1])) {
    throw Error(fmt::format("benchmark '{}': a name is suite/snake_case", name));
  }
  auto [place, inserted] = benchmarks_.try_emplace(name, nullptr);
  if (!inserted) throw Error(fmt::format("benchmark '{}' is registered twice", name));
  place->second = std::make_unique<Benchmark>(std::move(benchmark));
  return *place->second;
}

std::vector<const Benchmark*> Registry::all() const {
  std::vector<const Benchmark*> result;
  for (const auto& [name, benchmark] : benchmarks_) result.push_back(benchmark.get());
  return result;
}

const Benchmark* Registry::find(const std::string& name) const {
  const auto found = benchmarks_.find(name);
  return found == benchmarks_.end() ? nullptr : found->second.get();
}

bool Registry::add_back_end(const std::string& name, MakeCommunicator make) {
  back_ends_[name] = make;
  return true;
}

Registry::MakeCommunicator Registry::back_end(const std::string& name) const {
  const auto found = back_ends_.find(name);
  return found == back_ends_.end() ? nullptr : found->second;
}

bool Registry::add_preset(const std::string& name, const std::string& toml) {
  if (!presets_.emplace(name, toml).second)
    throw Error(fmt::format("preset '{}' is registered twice", name));
  return true;
}

}  // namespace scalemark
