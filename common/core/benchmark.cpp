// SPDX-License-Identifier: Apache-2.0
// Declaring and registering benchmarks.
#include "common/core/benchmark.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/core/axis_docs.hpp"

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

Axis Benchmark::make_axis(const std::string& name, Axis::Type type, const std::string& doc,
                          const std::string& unit) const {
  Axis axis;
  axis.name = name;
  axis.type = type;
  axis.doc = doc;
  axis.unit = unit;
  if (!doc.empty()) return axis;
  const AxisDoc* shared = axis_doc(name);
  if (shared == nullptr) {
    throw Error(
        fmt::format("{}: axis {} has no sentence; give it a .doc, or a shared one in "
                    "common/core/axis_docs.cpp",
                    name_, name));
  }
  axis.doc = shared->doc;
  axis.unit = shared->unit;
  return axis;
}

Benchmark& Benchmark::axis(const std::string& name, const TextAxis& fields) {
  Axis axis = make_axis(name, Axis::Type::text, fields.doc, "");
  axis.allowed = as_values(fields.values);
  axis.defaults = constant(as_values(fields.defaults.empty() ? fields.values : fields.defaults));
  if (!fields.defaults_with_gpu.empty()) {
    axis.defaults = [without = axis.defaults, with = as_values(fields.defaults_with_gpu)](
                        const PlanContext& job) { return job.cuda_usable ? with : without(job); };
  }
  if (fields.implied) axis.implied = *fields.implied;
  axes_.push_back(std::move(axis));
  return *this;
}

Benchmark& Benchmark::axis_integer(const std::string& name, const IntegerAxis& fields) {
  Axis axis = make_axis(name, Axis::Type::integer, fields.doc, fields.unit);
  axis.minimum = fields.minimum;
  axis.maximum = fields.maximum;
  if (fields.default_is_ranks) {
    axis.defaults = [](const PlanContext& job) {
      return std::vector<Value>{std::int64_t{job.ranks}};
    };
  } else {
    axis.defaults = constant(as_values(text::parse_integers(fields.defaults)));
  }
  if (!fields.quick.empty()) axis.quick = as_values(text::parse_integers(fields.quick));
  if (fields.implied) axis.implied = *fields.implied;
  axes_.push_back(std::move(axis));
  return *this;
}

Benchmark& Benchmark::axis_number(const std::string& name, const NumberAxis& fields) {
  Axis axis = make_axis(name, Axis::Type::number, fields.doc, fields.unit);
  axis.minimum = fields.minimum;
  axis.maximum = fields.maximum;
  axis.defaults = constant({fields.defaults.begin(), fields.defaults.end()});
  if (fields.implied) axis.implied = *fields.implied;
  axes_.push_back(std::move(axis));
  return *this;
}

Benchmark& Benchmark::axis_boolean(const std::string& name, const BooleanAxis& fields) {
  Axis axis = make_axis(name, Axis::Type::boolean, fields.doc, "");
  axis.allowed = {Value(false), Value(true)};
  axis.defaults = constant(
      fields.defaults.empty() ? axis.allowed
                              : std::vector<Value>{fields.defaults.begin(), fields.defaults.end()});
  if (fields.implied) axis.implied = *fields.implied;
  axes_.push_back(std::move(axis));
  return *this;
}

Benchmark& Benchmark::compute_axes() {
  axis("device", {.values = {"cpu", "cuda"}, .defaults = {"cpu"}, .defaults_with_gpu = {"cuda"}});
  axis_integer("threads", {.minimum = 1, .maximum = 4096, .defaults = "1"});
  axes_.back().defaults = [](const PlanContext& context) {
    return std::vector<Value>{static_cast<std::int64_t>(context.threads)};
  };
  return *this;
}

Benchmark& Benchmark::ranks(int minimum, int sweep_from) {
  minimum_ranks_ = minimum;
  default_ranks_ = std::max(minimum, sweep_from);
  std::erase_if(axes_, [](const Axis& axis) { return axis.name == "ranks"; });
  Axis axis = make_axis("ranks", Axis::Type::integer, "", "");
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

Benchmark& Benchmark::where(std::function<bool(const Point&)> sensible) {
  sensible_ = [first = std::move(sensible_), second = std::move(sensible)](const Point& point) {
    return (!first || first(point)) && second(point);
  };
  return *this;
}

Benchmark& Benchmark::adjust(std::function<void(Point&)> change) {
  return adjust_to_job(
      [change = std::move(change)](Point& point, const PlanContext&) { change(point); });
}

Benchmark& Benchmark::adjust_to_job(std::function<void(Point&, const PlanContext&)> change) {
  if (!adjust_) {
    adjust_ = std::move(change);
    return *this;
  }
  adjust_ = [first = std::move(adjust_), second = std::move(change)](Point& point,
                                                                     const PlanContext& context) {
    first(point, context);
    second(point, context);
  };
  return *this;
}

Benchmark& Benchmark::works_on_gpu(std::function<bool(const Point&)> where) {
  on_gpu_ = std::move(where);
  return *this;
}

Benchmark& Benchmark::communication(std::function<Workload(const Point&)> of_a_step) {
  communication_ = std::move(of_a_step);
  return *this;
}

Benchmark& Benchmark::steps(std::function<std::int64_t(const Point&)> of_a_rank) {
  steps_ = std::move(of_a_rank);
  return *this;
}

Benchmark& Benchmark::operation_work(std::function<OperationWork(const Point&)> of_a_call) {
  operation_work_ = std::move(of_a_call);
  return *this;
}

Benchmark& Benchmark::workload(std::function<Workload(const Point&)> of_a_step,
                               std::function<std::string(const Point&)> why_unknown) {
  workload_ = std::move(of_a_step);
  why_no_workload_ = std::move(why_unknown);
  return *this;
}

Benchmark& Benchmark::step_sizes(StepSizes sizes) {
  step_sizes_ = std::move(sizes);
  return *this;
}

bool Benchmark::allows(const Point& point) const {
  return std::ranges::all_of(axes_, [&](const Axis& axis) {
    const Value* value = point.find(axis.name);
    if (value == nullptr) return false;
    const auto is_within = [&](auto number) {
      return number >= static_cast<decltype(number)>(axis.minimum) &&
             number <= static_cast<decltype(number)>(axis.maximum);
    };
    switch (axis.type) {
      case Axis::Type::integer:
        return std::holds_alternative<std::int64_t>(*value) &&
               is_within(std::get<std::int64_t>(*value));
      case Axis::Type::number:
        return std::holds_alternative<double>(*value) && is_within(std::get<double>(*value));
      case Axis::Type::boolean:
        return std::holds_alternative<bool>(*value);
      case Axis::Type::text:
        return std::ranges::count(axis.allowed, *value) > 0;
    }
    return false;
  });
}

Point Benchmark::with_implied(Point point) const {
  for (const Axis& axis : axes_) {
    if (axis.implied) point.add(axis.name, *axis.implied);
  }
  return point;
}

std::string Benchmark::key_of(const Point& point) const {
  Point shown = point;
  for (const Axis& axis : axes_) {
    if (axis.implied && shown.contains(axis.name) && shown[axis.name] == *axis.implied)
      shown.erase(axis.name);
  }
  return make_key(name_, shown);
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
