// SPDX-License-Identifier: Apache-2.0
// Selection of benchmarks and expansion of their axes.
#include "common/core/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/core/filter.hpp"
#include "common/core/policy_rules.hpp"
#include "common/result/point.hpp"

namespace scalemark {
namespace {

/// More cases than anyone runs: a mistyped range, refused before it fills the memory.
constexpr std::size_t kMaxCases = 100'000;

/// A benchmark to expand, with what its preset entry says.
struct Selected {
  const Benchmark* benchmark;
  std::map<std::string, std::string> axes;
  PolicyChange preset_policy, entry_policy;
  /// Of an override of `bytes` this block takes the sizes above the first, up to the second.
  std::int64_t above = std::numeric_limits<std::int64_t>::min();
  std::int64_t up_to = std::numeric_limits<std::int64_t>::max();
};

/// The least and the largest size that a block of a preset names; nothing if it names none.
std::optional<std::pair<std::int64_t, std::int64_t>> sizes_of(const Selected& block) {
  const auto given = block.axes.find("bytes");
  if (given == block.axes.end()) return std::nullopt;
  const std::vector<std::int64_t> sizes = text::parse_integers(given->second);
  if (sizes.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(sizes);
  return std::pair(least, most);
}

/// A preset may measure small and large messages of a benchmark in blocks of their own, as OSU
/// does. A size given on the command line then belongs to one of them.
void share_sizes(std::vector<Selected>& selected) {
  using Sizes = std::pair<std::int64_t, std::int64_t>;
  std::vector<std::optional<Sizes>> sizes;
  std::map<const Benchmark*, std::vector<Sizes>> blocks;
  for (const Selected& block : selected) {
    sizes.push_back(sizes_of(block));
    if (sizes.back()) blocks[block.benchmark].push_back(*sizes.back());
  }
  std::map<const Benchmark*, std::int64_t> last_least;
  for (auto& [benchmark, all] : blocks) {
    last_least[benchmark] = std::ranges::max(all, {}, &Sizes::first).first;
    std::ranges::sort(all, {}, &Sizes::second);
  }
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (!sizes[i]) continue;
    Selected& block = selected[i];
    const std::vector<Sizes>& all = blocks.at(block.benchmark);
    const auto past = std::ranges::lower_bound(all, sizes[i]->first, {}, &Sizes::second);
    if (past != all.begin()) block.above = std::prev(past)->second;
    if (last_least.at(block.benchmark) > sizes[i]->second) block.up_to = sizes[i]->second;
  }
}

std::vector<std::string> names_of(const Registry& registry) {
  std::vector<std::string> names;
  for (const Benchmark* benchmark : registry.all()) names.push_back(benchmark->name());
  return names;
}

/// " (did you mean micro/allreduce?)" for "alreduce", too, which lacks the suite.
std::string meant(const Registry& registry, const std::string& given) {
  std::vector<std::string> full = names_of(registry), found = text::nearest(given, full);
  if (found.empty()) {
    std::vector<std::string> bare;
    for (const std::string& name : full) bare.push_back(name_in_suite(name));
    for (const std::string& near : text::nearest(given, bare)) {
      for (const std::string& name : full) {
        if (name.ends_with("/" + near)) found.push_back(name);
      }
    }
  }
  if (found.empty()) return "; \"scalemark list\" shows them all";
  return fmt::format(" (did you mean {}?)", text::join(found, ", "));
}

const Benchmark& require(const Registry& registry, const std::string& name,
                         const std::string& origin) {
  const Benchmark* found = registry.find(name);
  if (!found) {
    throw UsageError(fmt::format("{}: unknown benchmark '{}'{}", origin, text::printable(name, 80),
                                 meant(registry, name)));
  }
  return *found;
}

/// An exact name selects itself only; anything else is a regular expression searched in the name.
std::set<std::string> match(const Registry& registry, const std::vector<std::string>& filters) {
  std::set<std::string> matched;
  for (const std::string& filter : filters) {
    if (registry.find(filter)) {
      matched.insert(filter);
      continue;
    }
    const Filter expression("FILTER", filter);
    bool any = false;
    for (const std::string& name : names_of(registry)) {
      if (expression.finds(name)) {
        matched.insert(name);
        any = true;
      }
    }
    if (!any) {
      throw UsageError(fmt::format("filter '{}' matches no benchmark{}",
                                   text::printable(filter, 80), meant(registry, filter)));
    }
  }
  return matched;
}

std::vector<Selected> select(const Registry& registry, const PlanRequest& request) {
  const std::set<std::string> matched = match(registry, request.filters);
  std::vector<Selected> selected;
  if (request.preset) {
    for (const PresetEntry& entry : request.preset->entries) {
      const Benchmark& benchmark =
          require(registry, entry.benchmark, fmt::format("preset {}", request.preset->name));
      if (!matched.empty() && !matched.contains(benchmark.name())) continue;
      selected.push_back({&benchmark, entry.axes, request.preset->policy, entry.policy});
    }
    if (selected.empty()) {
      throw UsageError(
          fmt::format("preset {} has no benchmark that matches the filter", request.preset->name));
    }
    share_sizes(selected);
    return selected;
  }
  for (const Benchmark* benchmark : registry.all()) {
    if (matched.empty() || matched.contains(benchmark->name()))
      selected.push_back({benchmark, {}, {}, {}});
  }
  return selected;
}

/// "all" ranks: those of the job, as far as the benchmark takes them.
std::vector<Value> parse_values(const Axis& axis, const std::string& text,
                                const PlanContext& context) {
  if (axis.name != "ranks" || text != "all") return axis.parse(text);
  const auto fewest = std::get<std::int64_t>(axis.defaults(context).front());
  return {std::min(axis.maximum, std::max(fewest, std::int64_t{context.ranks}))};
}

std::vector<Value> values_of(const Selected& selected, const Axis& axis, const PlanRequest& request,
                             const PlanContext& context) {
  // The last matching override wins, as usual on a command line.
  for (auto change = request.overrides.rbegin(); change != request.overrides.rend(); ++change) {
    const bool meant = change->benchmark.empty() || change->benchmark == selected.benchmark->name();
    if (!meant || change->axis != axis.name) continue;
    std::vector<Value> values = parse_values(axis, change->values, context);
    if (axis.name == "bytes") {
      std::erase_if(values, [&](const Value& value) {
        const auto bytes = std::get<std::int64_t>(value);
        return bytes <= selected.above || bytes > selected.up_to;
      });
    }
    return values;
  }
  if (const auto given = selected.axes.find(axis.name); given != selected.axes.end())
    return parse_values(axis, given->second, context);
  std::vector<Value> defaults = axis.defaults(context);
  if (!request.quick) return defaults;
  if (!axis.quick.empty()) return axis.quick;
  // One point: all ranks, of other axes the first default.
  return {axis.name == "ranks" ? defaults.back() : defaults.front()};
}

PlannedCase make_case(const Selected& selected, const Point& params, const SamplingPolicy& policy) {
  PlannedCase planned;
  planned.benchmark = selected.benchmark;
  planned.params = params;
  planned.policy = policy;
  planned.key = selected.benchmark->key_of(params);
  planned.config_hash =
      hash_text(make_key(selected.benchmark->name(), params) + " | " + to_text(policy));
  return planned;
}

void expand(const Selected& selected, const PlanRequest& request, const PlanContext& context,
            std::vector<PlannedCase>& plan) {
  const SamplingPolicy policy = request.command_line.apply(
      selected.entry_policy.apply(selected.preset_policy.apply(request.policy)));
  check_times(policy);
  if (!selected.benchmark->why_unavailable().empty()) {
    plan.push_back(make_case(selected, {{"ranks", std::int64_t{context.ranks}}}, policy));
    return;
  }
  for (const auto& [name, values] : selected.axes) {
    if (!selected.benchmark->find_axis(name)) {
      std::vector<std::string> known;
      for (const Axis& axis : selected.benchmark->axes()) known.push_back(axis.name);
      throw UsageError(fmt::format("{} has no axis '{}'{}", selected.benchmark->name(),
                                   text::printable(name, 80), text::did_you_mean(name, known)));
    }
  }
  std::vector<Point> points(1);
  for (const Axis& axis : selected.benchmark->axes()) {
    const std::vector<Value> values = values_of(selected, axis, request, context);
    if (points.size() * values.size() + plan.size() > kMaxCases) {
      throw UsageError(
          fmt::format("the plan has more than {} cases; narrow axis {}", kMaxCases, axis.name));
    }
    std::vector<Point> extended;
    for (const Point& point : points) {
      for (const Value& value : values) {
        extended.push_back(point);
        extended.back()[axis.name] = value;
      }
    }
    points = std::move(extended);
  }
  for (const Point& declared : points) {
    const Point point = selected.benchmark->adjusted(declared, context);
    if (selected.benchmark->makes_sense(point)) plan.push_back(make_case(selected, point, policy));
  }
}

}  // namespace

std::vector<const Benchmark*> matching(const Registry& registry,
                                       const std::vector<std::string>& filters) {
  const std::set<std::string> matched = match(registry, filters);
  std::vector<const Benchmark*> result;
  for (const Benchmark* benchmark : registry.all()) {
    if (filters.empty() || matched.contains(benchmark->name())) result.push_back(benchmark);
  }
  return result;
}

AxisOverride parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(fmt::format("--axis is '{}'; allowed: [suite/name:]axis=values",
                                 text::printable(text, 120)));
  }
  AxisOverride result;
  result.values = text.substr(equals + 1);
  const std::string left = text.substr(0, equals);
  const std::size_t colon = left.find(':');
  result.benchmark = colon == std::string::npos ? "" : left.substr(0, colon);
  result.axis = colon == std::string::npos ? left : left.substr(colon + 1);
  return result;
}

void check_overrides(const Registry& registry, const std::vector<const Benchmark*>& benchmarks,
                     const std::vector<AxisOverride>& overrides) {
  for (const AxisOverride& change : overrides) {
    if (!change.benchmark.empty()) require(registry, change.benchmark, "--axis");
    std::set<std::string> known;
    bool met = false;
    for (const Benchmark* one : benchmarks) {
      if (!change.benchmark.empty() && one->name() != change.benchmark) continue;
      for (const Axis& axis : one->axes()) known.insert(axis.name);
      met = met || one->find_axis(change.axis) != nullptr;
    }
    if (!met) {
      const std::vector<std::string> names(known.begin(), known.end());
      throw UsageError(fmt::format("--axis: no selected benchmark has an axis '{}'{}",
                                   text::printable(change.axis, 80),
                                   text::did_you_mean(change.axis, names)));
    }
  }
}

std::vector<PlannedCase> make_plan(const Registry& registry, const PlanRequest& request,
                                   const PlanContext& context) {
  const std::vector<Selected> selected = select(registry, request);
  std::vector<const Benchmark*> benchmarks;
  for (const Selected& one : selected) benchmarks.push_back(one.benchmark);
  check_overrides(registry, benchmarks, request.overrides);
  std::vector<PlannedCase> plan;
  for (const Selected& one : selected) expand(one, request, context, plan);
  std::set<std::string> keys;
  std::erase_if(plan, [&](const PlannedCase& planned) { return !keys.insert(planned.key).second; });
  return plan;
}

std::string plan_hash(const std::vector<PlannedCase>& plan) {
  std::string all;
  for (const PlannedCase& planned : plan) all += planned.key + ' ' + planned.config_hash + '\n';
  return hash_text(all);
}

bool can_run(const PlannedCase& planned, int ranks) {
  const std::int64_t wanted = planned.params.integer("ranks");
  return planned.benchmark->why_unavailable().empty() && wanted <= ranks &&
         wanted >= planned.benchmark->minimum_ranks();
}

std::optional<double> longest_sampling(const PlannedCase& planned) {
  if (planned.benchmark->has_fixed_work() || !std::isfinite(planned.policy.max_time))
    return std::nullopt;
  return planned.policy.max_time;
}

std::string estimate(const std::vector<PlannedCase>& plan, int sweeps) {
  double seconds = 0;
  std::size_t counted = 0, fixed = 0;
  for (const PlannedCase& planned : plan) {
    if (!planned.benchmark->why_unavailable().empty()) continue;
    if (const auto longest = longest_sampling(planned))
      seconds += sweeps * *longest;
    else
      ++(planned.benchmark->has_fixed_work() ? fixed : counted);
  }
  std::vector<std::string> parts;
  if (seconds > 0)
    parts.push_back(fmt::format("at most about {} of sampling", units::seconds(seconds, 2)));
  if (counted > 0) parts.push_back(fmt::format("{} with a given number of iterations", counted));
  if (fixed > 0) parts.push_back(fmt::format("{} with a fixed amount of work", fixed));
  return text::join(parts, ", ");
}

}  // namespace scalemark
