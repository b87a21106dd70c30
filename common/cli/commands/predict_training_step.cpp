// SPDX-License-Identifier: Apache-2.0
// Predicts a step from a training on other ranks, and measured ones from each other.
#include "common/cli/commands/predict_training_step.hpp"

#include <algorithm>
#include <cmath>

#include "common/cli/commands/predict_rows.hpp"
#include "common/predict/conformal.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::cli {
namespace {

std::string memory_of(const TrainingRows& rows) {
  return rows.point.text("device", "cpu") == "cuda" ? "device" : "host";
}

/// The rows of a message. The process group of MPI starts nonblocking operations, for which
/// libraries have algorithms of their own.
CollectiveName collective_of(const TrainingRows& rows, const WorkloadPart& message) {
  std::vector<std::string> words{"backend=" + rows.process_group, "memory=" + memory_of(rows)};
  if (rows.process_group == "mpi") words.emplace_back("call=nonblocking");
  for (const auto& [axis, value] : message.point) {
    if (axis != "bytes") words.push_back(axis + "=" + to_text(value));
  }
  return {message.benchmark, std::move(words)};
}

/// The nodes of `ranks`: those of the training on as many, else as full as the nodes of `start`. 0:
/// not known.
int nodes_for(const TrainingRows& rows, const std::pair<const int, MeasuredTraining>& start,
              int ranks) {
  const auto own = rows.by_ranks.find(ranks);
  const std::set<int>& known = own == rows.by_ranks.end() ? start.second.nodes : own->second.nodes;
  if (known.size() != 1) return 0;
  const int nodes = *known.begin();
  if (own != rows.by_ranks.end()) return nodes;
  if (nodes < 2) return ranks <= start.first ? nodes : 0;
  const int on_each = (start.first + nodes - 1) / nodes;
  return (ranks + on_each - 1) / on_each;
}

/// Of the collective that takes longest among those that have rows of micro/overlap.
std::optional<double> overlap_ratio_of(const std::vector<StepMessage>& messages,
                                       const TrainingRows& rows, int ranks,
                                       const OverlapRows& overlap) {
  for (const HiddenCollective& one : hidden_collectives(messages)) {
    const auto ratio =
        overlap.ratio(one.name, rows.process_group, memory_of(rows), ranks, one.bytes);
    if (ratio) return ratio;
  }
  return std::nullopt;
}

}  // namespace

const std::pair<const int, MeasuredTraining>* start_for(const TrainingRows& rows, int ranks) {
  const std::pair<const int, MeasuredTraining>* start = nullptr;
  for (const auto& one : rows.by_ranks) {
    const bool is_the_answer = one.first == ranks && !rows.is_elsewhere;
    if (is_the_answer || one.second.local.empty()) continue;
    if (start == nullptr || one.first <= ranks) start = &one;
  }
  return start;
}

double StepLine::communication() const {
  double sum = 0;
  for (const StepMessage& one : messages) sum += one.total();
  return sum;
}

bool StepLine::is_from_rows() const {
  return std::ranges::all_of(messages,
                             [](const StepMessage& one) { return one.time.is_from_rows; });
}

const RankReach* StepLine::farthest() const {
  const RankReach* found = nullptr;
  for (const StepMessage& one : messages) {
    if (one.time.is_from_rows) continue;
    const RankReach& reach = one.time.reach;
    if (found == nullptr ||
        std::pair(reach.is_far(), reach.beyond) > std::pair(found->is_far(), found->beyond))
      found = &reach;
  }
  return found;
}

bool StepLine::is_far() const {
  const RankReach* const reach = farthest();
  return reach != nullptr && reach->is_far();
}

std::string StepLine::bound() const {
  const double waiting = slowest.median - computing, messages_left = communication() - won();
  if (messages_left >= std::max(computing, waiting)) return "communication";
  return computing >= waiting ? "computing" : "waiting for the slowest rank";
}

std::optional<StepLine> predict_step(const TrainingRows& rows, const Benchmark& benchmark,
                                     int ranks, Collectives& collectives, MissingSizes& missing,
                                     std::optional<int> nodes) {
  const auto* const start = start_for(rows, ranks);
  if (start == nullptr) return std::nullopt;
  const predict::PooledTimes times(start->second.local);
  StepLine line{.ranks = ranks,
                .from_ranks = start->first,
                .samples = times.size(),
                .computing = times.slowest_of(1).median,
                .factor = start->second.factor,
                .slowest = times.slowest_of(ranks),
                .messages = {},
                .hidden = {},
                .overlap_ratio = {},
                .measured = {},
                .interval = {}};
  Point point = rows.point;
  point["ranks"] = std::int64_t{ranks};
  // A rank by itself sends nothing.
  const Workload messages = ranks < 2 ? Workload() : benchmark.communication_for(point);
  const int on_nodes = nodes ? *nodes : nodes_for(rows, *start, ranks);
  for (const WorkloadPart& part : messages) {
    const CollectiveName name = collective_of(rows, part);
    const std::int64_t bytes = part.point.integer("bytes");
    const auto found = collectives.of(name).time(static_cast<double>(bytes), ranks, on_nodes);
    if (!found)
      missing[name].insert(bytes);
    else
      line.messages.push_back(
          {part.component, part.benchmark, part.count, static_cast<double>(bytes), *found});
  }
  if (line.messages.size() < messages.size()) return std::nullopt;
  line.hidden = hidden_seconds(rows, start->second, line.messages, ranks);
  if (line.hidden.value_or(0) > 0)
    line.overlap_ratio = overlap_ratio_of(line.messages, rows, ranks, collectives.overlap());
  if (const auto own = rows.by_ranks.find(ranks);
      own != rows.by_ranks.end() && !own->second.step.empty())
    line.measured = stats::median(own->second.step);
  return line;
}

TrainingErrors::TrainingErrors(const std::vector<TrainingRows>& all, const Benchmark& benchmark,
                               Collectives& collectives) {
  std::vector<std::vector<double>> logs;
  for (const TrainingRows& rows : all) {
    for (const auto& [ranks, measured] : rows.by_ranks) {
      std::vector<double>& own = logs.emplace_back();
      for (const double step : measured.step) own.push_back(std::log(step));
      if (ranks < 2) continue;
      MissingSizes unused;
      const auto line = predict_step(rows, benchmark, ranks, collectives, unused);
      if (line)
        predicted_.push_back(
            {rows.key, ranks, line->is_from_rows(), std::log(*line->measured / line->step())});
    }
  }
  run_deviation_ = pooled_deviation(logs);
}

std::vector<double> TrainingErrors::errors_for(const StepLine& line, const std::string& key) const {
  std::vector<double> logs;
  for (const Predicted& one : predicted_) {
    const bool is_this = one.key == key && one.ranks == line.ranks;
    if (!is_this && one.is_from_rows == line.is_from_rows()) logs.push_back(one.log_error);
  }
  return logs;
}

void TrainingErrors::add_interval(StepLine& line, const std::string& key, double level) const {
  const auto half = predict::conformal_half_width(errors_for(line, key), level);
  if (!half || line.slowest.is_bound || line.is_far()) return;
  const double factor = interval_factor(*half, run_deviation_, level);
  line.interval = {line.step() / factor, line.step() * factor};
}

}  // namespace scalemark::cli
