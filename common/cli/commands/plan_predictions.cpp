// SPDX-License-Identifier: Apache-2.0
// Finds the rows that a planned case is predicted from.
#include "common/cli/commands/plan_predictions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/counted.hpp"
#include "common/base/key.hpp"
#include "common/base/text.hpp"
#include "common/predict/collective_form.hpp"
#include "common/result/point.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::cli {
namespace {

void add_reach(const RankReach& reach, compare::JobCase& one) {
  one.beyond = reach.beyond;
  if (reach.is_far()) one.reach = reach.note();
}

/// "1 rank, ring": the training that the step is from, and how its longest message is known.
std::string source_of(const StepLine& line) {
  std::string source = text::counted(static_cast<std::size_t>(line.from_ranks), "rank");
  if (line.messages.empty()) return source;
  const auto longest = std::ranges::max_element(line.messages, {}, &StepMessage::total);
  return source + ", " + longest->time.source;
}

}  // namespace

void CasePredictions::add(const PlannedCase& planned, compare::JobCase& one) {
  if (planned.benchmark->has_communication())
    add_training(planned, one);
  else
    add_collective(planned, one);
}

void CasePredictions::add_collective(const PlannedCase& planned, compare::JobCase& one) {
  const std::string& benchmark = planned.benchmark->name();
  const auto* bytes = planned.params.find_as<std::int64_t>("bytes");
  if (predict::forms_of(name_in_suite(benchmark)).empty()) return;
  std::vector<std::string> words = text::split(key_without(planned.key, {"bytes", "ranks"}), ' ');
  words.erase(words.begin());
  const auto ranks = static_cast<int>(planned.params.integer("ranks"));
  const auto found =
      collectives_.of({benchmark, words})
          .time(bytes == nullptr ? 0 : static_cast<double>(*bytes), ranks, shape_.nodes_for(ranks));
  if (!found) return;
  one.predicted = found->seconds;
  one.source = found->source;
  one.interval = found->interval;
  add_reach(found->reach, one);
}

void CasePredictions::add_training(const PlannedCase& planned, compare::JobCase& one) {
  const std::vector<TrainingRows>& all = trainings(*planned.benchmark);
  const auto rows = std::ranges::find(all, key_without(planned.key, {"ranks"}), &TrainingRows::key);
  if (rows == all.end()) return;
  const auto ranks = static_cast<int>(planned.params.integer("ranks"));
  auto line = predict_step(*rows, *planned.benchmark, ranks, collectives_, missing_,
                           shape_.nodes_for(ranks));
  if (!line) return;
  errors(*planned.benchmark).add_interval(*line, rows->key, kIntervalLevel);
  one.interval = line->interval;
  one.predicted = line->step();
  one.is_bound = line->slowest.is_bound;
  one.source = source_of(*line);
  if (const RankReach* const reach = line->farthest()) add_reach(*reach, one);
  add_duration(planned, *rows, *line, one);
}

void CasePredictions::add_duration(const PlannedCase& planned, const TrainingRows& rows,
                                   const StepLine& line, compare::JobCase& one) const {
  const Benchmark& benchmark = *planned.benchmark;
  const MeasuredTraining& start = rows.by_ranks.at(line.from_ranks);
  Point point = rows.point;
  point["ranks"] = std::int64_t{line.from_ranks};
  const std::string key = benchmark.key_of(point);
  std::vector<double> seconds;
  for (const compare::RunCost& run : costs_) {
    const auto found = run.cases.find(key);
    if (found != run.cases.end() && std::isfinite(found->second.seconds))
      seconds.push_back(found->second.seconds);
  }
  const auto steps = static_cast<double>(benchmark.steps_for(planned.params)),
             steps_before = static_cast<double>(benchmark.steps_for(point));
  if (seconds.empty() || start.step.empty() || steps == 0 || steps_before == 0) return;
  const double rest = stats::median(seconds) - steps_before * stats::median(start.step);
  one.duration = std::max(0.0, rest) + steps * line.step();
}

const TrainingErrors& CasePredictions::errors(const Benchmark& benchmark) {
  const auto found = errors_.find(benchmark.name());
  if (found != errors_.end()) return found->second;
  return errors_
      .emplace(benchmark.name(), TrainingErrors(trainings(benchmark), benchmark, collectives_))
      .first->second;
}

const std::vector<TrainingRows>& CasePredictions::trainings(const Benchmark& benchmark) {
  const auto found = trainings_.find(benchmark.name());
  if (found != trainings_.end()) return found->second;
  return trainings_.emplace(benchmark.name(), read_training_rows(files_, benchmark)).first->second;
}

}  // namespace scalemark::cli
