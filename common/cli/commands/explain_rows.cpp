// SPDX-License-Identifier: Apache-2.0
// Gathers rows, and finds those of a step's operations.
#include "common/cli/commands/explain_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/message_costs.hpp"
#include "common/base/error.hpp"
#include "common/cli/commands/missing_rows.hpp"
#include "common/core/operation_rows.hpp"
#include "common/predict/op_cost.hpp"
#include "common/predict/step_sizes.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

/// What a step recorded of itself: metric, and what it is called here.
constexpr std::array<std::pair<const char*, const char*>, 2> kRecorded{
    {{"loader_wait", "wait for input"}, {"exposed_communication_time", kCommunication}}};

std::optional<double> recorded_seconds(const CaseResult& one, const std::string& name,
                                       bool mean = false) {
  const Metric* metric = one.find(name);
  if (metric == nullptr || metric->unit != "s") return std::nullopt;
  const double value = mean ? summarise(one, *metric).mean : median_of(one, *metric);
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

/// So many sizes stand for all steps of a training whose steps differ.
constexpr std::size_t kSizes = 4;

/// The larger of two reuse distances over the smaller one; infinite for rows with and without.
double distance_ratio(const Point& a, const Point& b) {
  const auto one = static_cast<double>(a.integer(kReuseDistance, 0)),
             other = static_cast<double>(b.integer(kReuseDistance, 0));
  return one == other ? 1 : std::max(one, other) / std::min(one, other);
}

/// Reuse distances of one family of rows, as they follow from the size of a step.
constexpr double kMaxDistanceRatio = 2;

/// Whether two points have the same axes, and but for one and the reuse distance the same values.
bool equal_but_for(const std::string& axis, const Point& a, const Point& b) {
  return std::ranges::equal(a, b, [&](const auto& one, const auto& other) {
    return one.first == other.first &&
           (one.first == axis || one.first == kReuseDistance || one.second == other.second);
  });
}

constexpr double kLargestStep = 1e9;

/// What a workload takes from the row of a training: means of metrics, and facts.
void add_records(const CaseResult& one, const Benchmark& benchmark, Point& point) {
  for (const std::string& name : benchmark.step_sizes().records) {
    const Metric* const metric = one.find(name);
    const auto* const fact = find_as<std::int64_t>(one.facts, name);
    if (metric != nullptr) {
      const double mean = summarise(one, *metric).mean;
      if (mean >= 0 && mean <= kLargestStep) point[name] = std::int64_t{std::llround(mean)};
    } else if (fact != nullptr) {
      point[name] = *fact;
    }
  }
}

/// Whether the host enqueues the operations of a step one by one, not all at once as a graph.
bool has_launches(const Point& training) { return !training.flag("graphs", false); }

/// Those that the steps of a training recorded; empty if they are not known, or what steps of such
/// sizes consist of.
std::vector<double> sizes_of_steps(const CaseResult& one, const Benchmark& benchmark,
                                   const Point& point) {
  const StepSizes& declared = benchmark.step_sizes();
  const Metric* const metric = declared.metric.empty() ? nullptr : one.find(declared.metric);
  if (metric == nullptr || metric->kind == MetricKind::rate) return {};
  std::vector<double> sizes = per_iteration(one, *metric);
  // A file may hold anything.
  const auto is_size = [](double size) { return size >= 1 && size <= kLargestStep; };
  if (sizes.empty() || !std::ranges::all_of(sizes, is_size)) return {};
  if (benchmark.workload_for(declared.at(point, std::llround(sizes.front()))).empty()) return {};
  return sizes;
}

const Benchmark& benchmark_of(const WorkloadPart& part) {
  const Benchmark* found = Registry::instance().find(part.benchmark);
  if (found == nullptr) throw Error(fmt::format("no benchmark '{}'", part.benchmark));
  return *found;
}

}  // namespace

void StepRows::read(const std::filesystem::path& file) {
  machine_.visit(file, [&](const Run&, const CaseResult& one) { add(one); });
}

void StepRows::add(const CaseResult& one) {
  const std::optional<double> seconds = analysis::operation_seconds(one);
  const Benchmark* benchmark = Registry::instance().find(one.name);
  if (!seconds || benchmark == nullptr) return;
  const Point point = benchmark->with_implied(one.params);
  // A file may hold anything.
  if (!benchmark->allows(point)) return;
  if (benchmark->has_workload()) {
    add_training(one, *benchmark, point, *seconds);
  } else {
    Row& row = rows_[one.name][benchmark->key_of(point)];
    row.point = point;
    row.seconds.push_back(recorded_seconds(one, "event_time").value_or(*seconds));
    roofs_.add(*benchmark, point, row.seconds.back());
    if (const auto issue = recorded_seconds(one, "issue_time")) row.issue.push_back(*issue);
  }
}

void StepRows::add_training(const CaseResult& one, const Benchmark& benchmark, Point point,
                            double seconds) {
  std::vector<double> sizes;
  add_records(one, benchmark, point);
  if (const std::string reason = benchmark.why_no_workload(point); !reason.empty()) {
    unknown_[one.key] = reason;
    return;
  }
  if (benchmark.workload_for(point).empty()) {
    sizes = sizes_of_steps(one, benchmark, point);
    if (sizes.empty()) {
      unknown_[one.key] =
          fmt::format("its steps differ, and it has no usable {}", benchmark.step_sizes().metric);
      return;
    }
    seconds = recorded_seconds(one, one.primary_metric, true).value_or(seconds);
  }
  Training& training = trainings_[one.key];
  training.benchmark = &benchmark;
  training.point = std::move(point);
  training.seconds.push_back(seconds);
  training.sizes.insert(training.sizes.end(), sizes.begin(), sizes.end());
  for (const auto& [metric, name] : kRecorded) {
    if (const auto value = recorded_seconds(one, metric, !sizes.empty()))
      training.recorded[metric].push_back(*value);
  }
}

/// From rows that differ from `wanted` in one size only; of each size that whose reuse distance is
/// the nearest.
std::optional<double> StepRows::between(const RowsByKey& rows, const Point& wanted, Times times) {
  for (const auto& [axis, value] : wanted) {
    const auto* const size = std::get_if<std::int64_t>(&value);
    if (size == nullptr || axis == "threads" || axis == "ranks" || axis == kReuseDistance) continue;
    std::map<double, double> seconds, nearest;  // by size
    for (const auto& [key, row] : rows) {
      const auto* const other = row.point.find_as<std::int64_t>(axis);
      const double ratio = distance_ratio(row.point, wanted);
      if (other == nullptr || (row.*times).empty() || ratio > kMaxDistanceRatio ||
          !equal_but_for(axis, row.point, wanted))
        continue;
      const auto of_row = static_cast<double>(*other);
      if (const auto known = nearest.find(of_row); known != nearest.end() && known->second <= ratio)
        continue;
      nearest[of_row] = ratio;
      seconds[of_row] = stats::median(row.*times);
    }
    if (const auto found = predict::interpolated(seconds, static_cast<double>(*size))) return found;
  }
  return std::nullopt;
}

predict::StepTerm StepRows::term_of(const WorkloadPart& part) const {
  predict::StepTerm term{.component = part.component,
                         .source = part.benchmark,
                         .count = static_cast<double>(part.count)};
  const auto of_benchmark = rows_.find(part.benchmark);
  if (of_benchmark == rows_.end()) return term;
  const Benchmark& benchmark = benchmark_of(part);
  if (const auto row = of_benchmark->second.find(benchmark.key_of(part.point));
      row != of_benchmark->second.end()) {
    term.seconds = stats::median(row->second.seconds);
    if (!row->second.issue.empty()) term.issue = stats::median(row->second.issue);
  } else {
    const Point wanted = benchmark.with_implied(part.point);
    term.seconds = between(of_benchmark->second, wanted, &Row::seconds);
    term.issue = between(of_benchmark->second, wanted, &Row::issue);
    term.from = predict::TimeSource::interpolation;
  }
  return term;
}

Explained StepRows::explain(const Training& training) const {
  return explain(training, [&](const WorkloadPart& part) -> std::optional<Estimated> {
    const std::optional<predict::RooflineTimes> times = roofs_.times(part);
    if (!times) return std::nullopt;
    return Estimated{.seconds = times->longer()};
  });
}

Explained StepRows::explain(const Training& training, const StepRows& elsewhere) const {
  return explain(training, [&](const WorkloadPart& part) -> std::optional<Estimated> {
    const std::optional<predict::RooflineTimes> here = roofs_.times(part),
                                                there = elsewhere.roofs_.times(part);
    const predict::StepTerm measured = elsewhere.term_of(part);
    if (!here || !there || !measured.seconds) return std::nullopt;
    return Estimated{.seconds = *measured.seconds * here->longer() / there->longer(),
                     .issue = measured.issue};
  });
}

StepRows StepRows::roofs_alone() const {
  StepRows rows;
  rows.roofs_ = roofs_;
  return rows;
}

Explained StepRows::explain(const Training& training, const Estimate& estimate) const {
  std::vector<predict::StepTerm> terms;
  Explained result;
  const auto add_parts = [&](const Point& point, double share) {
    for (const WorkloadPart& part : training.benchmark->workload_for(point)) {
      predict::StepTerm& term = terms.emplace_back(term_of(part));
      term.count *= share;
      term.roofline = roofs_.times(part);
      term.phase = part.phase;
      if (term.seconds) {
        result.has_rows = true;
      } else {
        const std::optional<Estimated> estimated = estimate(part);
        if (estimated) term.seconds = estimated->seconds, term.issue = estimated->issue;
        term.from = predict::TimeSource::roofline;
        add_missing({part}, estimated ? result.estimated : result.missing);
      }
      if (!has_launches(point)) term.issue.reset();
    }
  };
  if (training.sizes.empty()) add_parts(training.point, 1);
  for (const predict::SizeGroup& group : predict::size_groups(training.sizes, kSizes))
    add_parts(training.benchmark->step_sizes().at(training.point, std::llround(group.size)),
              group.share);
  for (const auto& [metric, name] : kRecorded) {
    const auto found = training.recorded.find(metric);
    if (found == training.recorded.end()) continue;
    terms.push_back(
        {.component = name, .source = metric, .count = 1, .seconds = stats::median(found->second)});
  }
  result.step = predict::explain_step(terms, stats::median(training.seconds));
  result.other_layout = in_another_layout(training, result.step);
  return result;
}

StepRows read_step_rows(const std::vector<std::string>& paths) {
  StepRows rows;
  for (const std::filesystem::path& file : find_all_runs({paths.begin(), paths.end()}))
    rows.read(file);
  return rows;
}

std::optional<double> StepRows::seconds_of(const std::string& component,
                                           const Workload& workload) const {
  double seconds = 0;
  for (const WorkloadPart& part : workload) {
    if (part.component != component) continue;
    const std::optional<double> one = term_of(part).seconds;
    if (!one) return std::nullopt;
    seconds += static_cast<double>(part.count) * *one;
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

std::optional<OtherLayout> StepRows::in_another_layout(const Training& training,
                                                       const predict::StepExplanation& step) const {
  const Axis* const axis = training.benchmark->find_axis("layout");
  if (axis == nullptr || !step.is_complete() || !training.sizes.empty()) return std::nullopt;
  const std::string& component = step.components.front().name;
  for (const Value& layout : axis->allowed) {
    Point point = training.point;
    if (point[axis->name] == layout) continue;
    point[axis->name] = layout;
    if (const auto seconds = seconds_of(component, training.benchmark->workload_for(point)))
      return OtherLayout{.component = component, .layout = to_text(layout), .seconds = *seconds};
  }
  return std::nullopt;
}

}  // namespace scalemark::cli
